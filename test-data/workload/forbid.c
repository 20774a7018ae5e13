/* forbid.c - runs a program that may not make some system calls: they fail with EPERM, as in a
 * container.
 *
 *   forbid NUMBER[,NUMBER] PROGRAM [ARGUMENT...] */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX 8

int main(int argc, char **argv)
{
    struct sock_filter code[2 * MAX + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    unsigned short n = 1;
    char *end = argc > 2 ? argv[1] : NULL;

    for (int i = 0; i < MAX && end != NULL && *end != '\0'; i++) {
        unsigned number = (unsigned)strtoul(end, &end, 10);

        end += *end == ',';
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (n < 4 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){n, code}) != 0) {
        perror("forbid");
        return 125;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
