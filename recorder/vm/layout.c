/*
 * layout.c - looks up the offsets, sizes and addresses that the walker needs in the tables of the
 * VM (tables.c).
 *
 * One row for each value says where it is and since which release. A value that the walker cannot
 * do without is an error with a reason; the walker is then not used.
 */
#include "recorder/vm/layout.h"

#include <stdio.h>
#include <string.h>

/* One field wanted; of several lines with the same destination the first found counts. */
struct want {
    size_t to; /* in struct vm_layout */
    const char *type, *field;
    char need; /* '!': nothing works without it */
};

#define AT(member_) offsetof(struct vm_layout, member_)

/* clang-format off */
static const struct want slots[] = {
    {AT(code.array_length), "GrowableArrayBase", "_len", ' '},
    {AT(code.array_length), "GenericGrowableArray", "_len", ' '},
    {AT(code.array_data), "GrowableArray<int>", "_data", ' '},
    {AT(code.memory), "CodeHeap", "_memory", '!'},
    {AT(code.segmap), "CodeHeap", "_segmap", '!'},
    {AT(code.log2_segment), "CodeHeap", "_log2_segment_size", '!'},
    {AT(code.space_low), "VirtualSpace", "_low", '!'},
    {AT(code.space_high), "VirtualSpace", "_high", '!'},
    {AT(code.space_end), "VirtualSpace", "_high_boundary", '!'},
    {AT(code.block_used), "HeapBlock::Header", "_used", '!'},
    {AT(blob.name), "CodeBlob", "_name", '!'},
    {AT(blob.size), "CodeBlob", "_size", '!'},
    {AT(blob.frame_size), "CodeBlob", "_frame_size", '!'},
    {AT(blob.frame_complete), "CodeBlob", "_frame_complete_offset", '!'},
    {AT(blob.kind), "CodeBlob", "_kind", ' '},
    {AT(blob.code_begin), "CodeBlob", "_code_begin", ' '},
    {AT(blob.code_end), "CodeBlob", "_code_end", ' '},
    {AT(blob.code_offset), "CodeBlob", "_code_offset", ' '},
    {AT(blob.data_offset), "CodeBlob", "_data_offset", ' '},
    {AT(blob.mutable_data), "CodeBlob", "_mutable_data", ' '},
    {AT(blob.relocation_size), "CodeBlob", "_relocation_size", ' '},
    {AT(nmethod.method), "nmethod", "_method", '!'},
    {AT(nmethod.method), "CompiledMethod", "_method", '!'},
    {AT(nmethod.level), "nmethod", "_comp_level", '!'},
    {AT(nmethod.compile_id), "nmethod", "_compile_id", '!'},
    {AT(nmethod.entry_bci), "nmethod", "_entry_bci", ' '},
    {AT(nmethod.orig_pc), "nmethod", "_orig_pc_offset", ' '},
    {AT(nmethod.pcs), "nmethod", "_scopes_pcs_offset", '!'},
    {AT(nmethod.dependencies), "nmethod", "_dependencies_offset", ' '},
    {AT(nmethod.scopes_offset), "nmethod", "_scopes_data_offset", ' '},
    {AT(nmethod.scopes_begin), "CompiledMethod", "_scopes_data_begin", ' '},
    {AT(nmethod.immutable_data), "nmethod", "_immutable_data", ' '},
    {AT(nmethod.metadata), "nmethod", "_metadata_offset", ' '},
    {AT(nmethod.verified_entry), "nmethod", "_verified_entry_point", ' '},
    {AT(nmethod.verified_offset), "nmethod", "_verified_entry_offset", ' '},
    {AT(nmethod.deopt_begin), "CompiledMethod", "_deopt_handler_begin", ' '},
    {AT(nmethod.deopt_mh_begin), "CompiledMethod", "_deopt_mh_handler_begin", ' '},
    {AT(nmethod.deopt_offset), "nmethod", "_deopt_handler_offset", ' '},
    {AT(nmethod.deopt_offset), "nmethod", "_deoptimize_offset", ' '},
    {AT(nmethod.deopt_mh_offset), "nmethod", "_deopt_mh_handler_offset", ' '},
    {AT(nmethod.deopt_mh_offset), "nmethod", "_deoptimize_mh_offset", ' '},
    {AT(nmethod.pc_offset), "PcDesc", "_pc_offset", '!'},
    {AT(nmethod.pc_scope), "PcDesc", "_scope_decode_offset", '!'},
    {AT(method.const_method), "Method", "_constMethod", '!'},
    {AT(method.code), "Method", "_code", ' '},
    {AT(method.access_flags), "Method", "_access_flags", '!'},
    {AT(method.constants), "ConstMethod", "_constants", '!'},
    {AT(method.code_size), "ConstMethod", "_code_size", '!'},
    {AT(method.name), "ConstMethod", "_name_index", '!'},
    {AT(method.signature), "ConstMethod", "_signature_index", '!'},
    {AT(method.flags), "ConstMethod", "_flags._flags", '!'},
    {AT(method.flags), "ConstMethod", "_flags", '!'},
    {AT(method.holder), "ConstantPool", "_pool_holder", '!'},
    {AT(method.total_size), "ConstMethod", "_constMethod_size", ' '},
    {AT(method.source_file), "ConstantPool", "_source_file_name_index", ' '},
    {AT(method.class_name), "Klass", "_name", '!'},
    {AT(method.loader_data), "Klass", "_class_loader_data", ' '},
    {AT(method.loader_data), "InstanceKlass", "_class_loader_data", ' '},
    {AT(method.layout_helper), "Klass", "_layout_helper", ' '},
    {AT(method.symbol_length), "Symbol", "_length", ' '},
    {AT(method.symbol_body), "Symbol", "_body", '!'},
    {AT(thread.anchor), "JavaThread", "_anchor", '!'},
    {AT(thread.state), "JavaThread", "_thread_state", '!'},
    {AT(thread.stack_base), "JavaThread", "_stack_base", '!'},
    {AT(thread.stack_size), "JavaThread", "_stack_size", '!'},
    {AT(thread.vframes), "JavaThread", "_vframe_array_head", ' '},
    {AT(thread.cont_entry), "JavaThread", "_cont_entry", ' '},
    {AT(thread.osthread), "JavaThread", "_osthread", ' '},
    {AT(thread.osthread), "Thread", "_osthread", ' '},
    {AT(thread.tid), "OSThread", "_thread_id", ' '},
    {AT(thread.object), "JavaThread", "_threadObj", ' '},
    {AT(thread.vthread), "JavaThread", "_vthread", ' '},
    {AT(thread.exception_pc), "JavaThread", "_saved_exception_pc", ' '},
    {AT(thread.last_sp), "JavaFrameAnchor", "_last_Java_sp", '!'},
    {AT(thread.last_pc), "JavaFrameAnchor", "_last_Java_pc", '!'},
    {AT(thread.last_fp), "JavaFrameAnchor", "_last_Java_fp", ' '},
    {AT(thread.wrapper_anchor), "JavaCallWrapper", "_anchor", '!'},
    {AT(thread.list_length), "ThreadsList", "_length", ' '},
    {AT(thread.list_threads), "ThreadsList", "_threads", ' '},
    {AT(vm.stub_buffer), "StubQueue", "_stub_buffer", '!'},
    {AT(vm.buffer_limit), "StubQueue", "_buffer_limit", '!'},
    {AT(vm.flag_name), "JVMFlag", "_name", ' '},
    {AT(vm.flag_name), "Flag", "_name", ' '},
    {AT(vm.flag_address), "JVMFlag", "_addr", ' '},
    {AT(vm.flag_address), "Flag", "_addr", ' '},
    {AT(vm.upcall_frame_data), "UpcallStub", "_frame_data_offset", ' '},
    {AT(vm.upcall_anchor), "UpcallStub::FrameData", "jfa", ' '},
};

static const struct want statics[] = {
    {AT(code.heaps), "CodeCache", "_heaps", ' '},
    {AT(code.only_heap), "CodeCache", "_heap", ' '},
    {AT(code.low_bound), "CodeCache", "_low_bound", ' '},
    {AT(code.high_bound), "CodeCache", "_high_bound", ' '},
    {AT(thread.list), "ThreadsSMRSupport", "_java_thread_list", ' '},
    {AT(vm.interpreter), "AbstractInterpreter", "_code", '!'},
    {AT(vm.call_stub_return), "StubRoutines", "_call_stub_return_address", '!'},
    {AT(vm.cont_return_pc), "ContinuationEntry", "_return_pc", ' '},
    {AT(vm.cont_barrier), "StubRoutines", "_cont_returnBarrier", ' '},
    {AT(vm.oop_base), "CompressedOops", "_base", ' '},
    {AT(vm.oop_base), "CompressedOops", "_narrow_oop._base", ' '},
    {AT(vm.oop_base), "Universe", "_narrow_oop._base", ' '},
    {AT(vm.oop_shift), "CompressedOops", "_shift", ' '},
    {AT(vm.oop_shift), "CompressedOops", "_narrow_oop._shift", ' '},
    {AT(vm.oop_shift), "Universe", "_narrow_oop._shift", ' '},
    {AT(vm.klass_offset), "java_lang_Class", "_klass_offset", ' '},
    {AT(vm.major_version), "Abstract_VM_Version", "_vm_major_version", ' '},
    {AT(vm.flags), "JVMFlag", "flags", ' '},
    {AT(vm.flags), "Flag", "flags", ' '},
    {AT(vm.n_flags), "JVMFlag", "numFlags", ' '},
    {AT(vm.n_flags), "Flag", "numFlags", ' '},
};

static const struct want sizes[] = {
    {AT(code.block_header), "HeapBlock", NULL, '!'},
    {AT(nmethod.pc_size), "PcDesc", NULL, '!'},
    {AT(method.const_size), "ConstMethod", NULL, '!'},
    {AT(method.pool_header), "ConstantPool", NULL, '!'},
    {AT(vm.flag_size), "JVMFlag", NULL, ' '},
    {AT(vm.flag_size), "Flag", NULL, ' '},
    {AT(vm.cont_entry_size), "ContinuationEntry", NULL, ' '},
};
/* clang-format on */

static const struct {
    const char *name;
    int64_t bit;
} annotations[] = {
    {"ConstMethod::_has_method_annotations", 0x80},
    {"ConstMethod::_has_parameter_annotations", 0x100},
    {"ConstMethod::_has_type_annotations", 0x200},
    {"ConstMethod::_has_default_annotations", 0x400},
};

#define N(array_) (sizeof(array_) / sizeof *(array_))

static int missing(char why[200], const char *type, const char *field)
{
    snprintf(why, 200, "the VM's tables have no %s%s%s", type, field != NULL ? "." : "",
             field != NULL ? field : "");
    return -1;
}

static void read_slot(struct vm_slot *slot, const struct vm_tables *t, const struct want *w)
{
    struct vm_field f;

    if (slot->at < 0 && vm_field(t, w->type, w->field, &f) && f.offset >= 0 && f.offset < 1 << 20)
        *slot = (struct vm_slot){(int32_t)f.offset, f.size};
}

static void read_static(uintptr_t *address, const struct vm_tables *t, const struct want *w)
{
    struct vm_field f;

    if (*address == 0 && vm_field(t, w->type, w->field, &f))
        *address = f.address;
}

/* Those that are wanted and not there; asked after all alternatives have been tried. */
static int check_layout(const struct vm_layout *l, char why[200])
{
    const char *base = (const char *)l;

    for (size_t i = 0; i < N(slots); i++)
        if (slots[i].need == '!' && ((const struct vm_slot *)(base + slots[i].to))->at < 0)
            return missing(why, slots[i].type, slots[i].field);
    for (size_t i = 0; i < N(statics); i++)
        if (statics[i].need == '!' && *(const uintptr_t *)(base + statics[i].to) == 0)
            return missing(why, statics[i].type, statics[i].field);
    for (size_t i = 0; i < N(sizes); i++)
        if (sizes[i].need == '!' && *(const size_t *)(base + sizes[i].to) == 0)
            return missing(why, sizes[i].type, NULL);
    if (l->code.heaps == 0 && l->code.only_heap == 0)
        return missing(why, "CodeCache", "_heaps");
    if (l->blob.code_begin.at < 0 && (l->blob.code_offset.at < 0 || l->blob.data_offset.at < 0))
        return missing(why, "CodeBlob", "_code_begin");
    if (l->nmethod.scopes_begin.at < 0 && l->nmethod.scopes_offset.at < 0)
        return missing(why, "nmethod", "_scopes_data_offset");
    if (l->nmethod.immutable_data.at < 0 && l->nmethod.dependencies.at < 0)
        return missing(why, "nmethod", "_dependencies_offset");
    if (l->nmethod.metadata.at < 0 &&
        (l->blob.mutable_data.at < 0 || l->blob.relocation_size.at < 0))
        return missing(why, "nmethod", "_metadata_offset");
    if (l->nmethod.verified_entry.at < 0 && l->nmethod.verified_offset.at < 0)
        return missing(why, "nmethod", "_verified_entry_point");
    return 0;
}

int vm_layout_read(struct vm_layout *l, const struct vm_tables *t, char why[200])
{
    char *base = (char *)l;

    memset(l, 0, sizeof *l);
    for (size_t i = 0; i < N(slots); i++)
        ((struct vm_slot *)(base + slots[i].to))->at = -1;
    for (size_t i = 0; i < N(slots); i++)
        read_slot((struct vm_slot *)(base + slots[i].to), t, &slots[i]);
    for (size_t i = 0; i < N(statics); i++)
        read_static((uintptr_t *)(base + statics[i].to), t, &statics[i]);
    for (size_t i = 0; i < N(sizes); i++)
        if (*(size_t *)(base + sizes[i].to) == 0)
            *(size_t *)(base + sizes[i].to) = vm_type_size(t, sizes[i].type);
    l->nmethod.kind = vm_constant(t, "CodeBlobKind::Nmethod", -1);
    l->thread.wrapper_slot =
        (int32_t)vm_constant(t, "frame::entry_frame_call_wrapper_offset", VM_WRAPPER_SLOT);
    /* The bits have kept their places, under changing names. */
    l->method.has_lines = (uint32_t)vm_constant(t, "ConstMethod::_has_linenumber_table", 1);
    l->method.has_generic = (uint32_t)vm_constant(t, "ConstMethod::_has_generic_signature", 16);
    for (size_t i = 0; i < N(annotations); i++)
        l->method.annotations[i] =
            (uint32_t)vm_constant(t, annotations[i].name, annotations[i].bit);
    return check_layout(l, why);
}
