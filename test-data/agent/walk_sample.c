#include "test-data/agent/walk.h"
void sample_begin(JNIEnv *env, int mode){(void)env;(void)mode;}
void sample_thread(JNIEnv *env, jthread thread){(void)env;(void)thread;}
void sample_thread_end(void){}
void sample_end(void){}
