/* graycard.native._core: the core as Python calls it. Numbers go in, numbers come out; Python names them.
 *
 * `execute` gives the GIL up once, for the whole run; `peek` and `stop` may be called meanwhile by other threads.
 */
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>

#include "core.h"
#include "frames.h"
#include "generator.h"
#include "platform.h"

#define CAPSULE "graycard.native._core.run"

typedef struct {
    gc_run *run;
    bool started;
    bool done;
} handle;

static handle *get(PyObject *capsule) { return PyCapsule_GetPointer(capsule, CAPSULE); }

static void destroy(PyObject *capsule) {
    handle *h = get(capsule);
    gc_release(h->run); /* `execute` holds a reference: it is not running */
    PyMem_Free(h);
}

static PyObject *from_errno(int error) {
    errno = error;
    return PyErr_SetFromErrno(PyExc_OSError);
}

static PyObject *wrap(gc_run *run) {
    handle *h = PyMem_Calloc(1, sizeof *h);
    if (!h) return PyErr_NoMemory();
    h->run = run;
    PyObject *capsule = PyCapsule_New(h, CAPSULE, destroy);
    if (!capsule) PyMem_Free(h);
    return capsule;
}

static PyObject *prepare(PyObject *self, PyObject *args, PyObject *kwargs) {
    (void)self;
    static char *names[] = {"version",     "fd",          "operation",  "pattern",    "engine",     "durability",
                            "may_write",   "null_device", "account",    "depth_count", "worker_count", "zero_bytes",
                            "block_bytes", "span_bytes",  "time_ns",    "op_limit",   "seed",       "run_number",
                            "tick_ns",     "period_ns",   "frame_ops",  "late_ns",    NULL};
    gc_config c = {0};
    unsigned long long n[10];
    int fd;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "$IiIIIIIIIIIIKKKKKKKKKK", names, &c.version, &fd, &c.operation,
                                     &c.pattern, &c.engine, &c.durability, &c.may_write, &c.null_device, &c.account,
                                     &c.depth_count, &c.worker_count, &c.zero_bytes, &n[0], &n[1], &n[2], &n[3],
                                     &n[4], &n[5], &n[6], &n[7], &n[8], &n[9]))
        return NULL;
    c.fd = fd;
    c.block_bytes = n[0], c.span_bytes = n[1], c.time_ns = n[2], c.op_limit = n[3], c.seed = n[4];
    c.run_number = n[5], c.tick_ns = n[6], c.period_ns = n[7], c.frame_ops = n[8], c.late_ns = n[9];
    int error;
    gc_run *run;
    Py_BEGIN_ALLOW_THREADS /* touching the memory may take a while */
    run = gc_prepare(&c, &error);
    Py_END_ALLOW_THREADS
    return run ? wrap(run) : from_errno(error);
}

static PyObject *execute(PyObject *self, PyObject *capsule) {
    (void)self;
    handle *h = get(capsule);
    if (!h) return NULL;
    if (h->started) return from_errno(EBUSY);
    h->started = true;
    Py_BEGIN_ALLOW_THREADS
    gc_execute(h->run);
    Py_END_ALLOW_THREADS
    h->done = true;
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *self, PyObject *capsule) {
    (void)self;
    handle *h = get(capsule);
    if (!h) return NULL;
    gc_stop(h->run);
    Py_RETURN_NONE;
}

static PyObject *abandon(PyObject *self, PyObject *capsule) {
    (void)self;
    handle *h = get(capsule);
    if (!h) return NULL;
    gc_abandon(h->run);
    Py_RETURN_NONE;
}

static PyObject *peek(PyObject *self, PyObject *capsule) {
    (void)self;
    handle *h = get(capsule);
    if (!h) return NULL;
    gc_progress p = gc_peek(h->run);
    return Py_BuildValue("KKKK", (unsigned long long)p.elapsed_ns, (unsigned long long)p.ops_count,
                         (unsigned long long)p.moved_bytes, (unsigned long long)p.since_progress_ns);
}

/* (counts as bytes of native uint64, overflow, sum, least, greatest, operations), or None */
static PyObject *histogram(const gc_histogram *h) {
    if (!h) Py_RETURN_NONE;
    return Py_BuildValue("y#KKKKK", (const char *)h->counts, (Py_ssize_t)sizeof h->counts,
                         (unsigned long long)h->overflow_count, (unsigned long long)h->sum_ns,
                         (unsigned long long)h->min_ns, (unsigned long long)h->max_ns,
                         (unsigned long long)h->ops_count);
}

static PyObject *outcome(PyObject *self, PyObject *capsule) {
    (void)self;
    handle *h = get(capsule);
    if (!h) return NULL;
    if (!h->done) return from_errno(EBUSY);
    gc_result r = gc_outcome(h->run);
    return Py_BuildValue(
        "{s:I,s:I,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:i,s:I,s:I,s:K,s:K,s:K,s:K,s:y#,s:N,s:N}", "engine",
        r.engine, "setup", r.setup, "elapsed_ns", (unsigned long long)r.elapsed_ns, "ops_count",
        (unsigned long long)r.ops_count, "moved_bytes", (unsigned long long)r.moved_bytes, "drain_ns",
        (unsigned long long)r.drain_ns, "flush_ns", (unsigned long long)r.flush_ns, "close_ns",
        (unsigned long long)r.close_ns, "submit_ns", (unsigned long long)r.submit_ns, "cpu_ns",
        (unsigned long long)r.cpu_ns, "reap_gap_ns", (unsigned long long)r.reap_gap_ns, "late_count",
        (unsigned long long)r.late_count, "error_count", (unsigned long long)r.error_count, "error", (int)r.error,
        "phase", r.phase, "operation", r.operation, "error_offset", (unsigned long long)r.error_offset, "tick_ns",
        (unsigned long long)r.tick_ns, "overflow_ops", (unsigned long long)r.overflow_ops, "overflow_bytes",
        (unsigned long long)r.overflow_bytes, "ticks", (const char *)r.ticks,
        (Py_ssize_t)(r.tick_count * sizeof *r.ticks), "latency", histogram(r.latency), "flush_latency",
        histogram(r.flush_latency));
}

static PyObject *measure_clock(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    gc_clock_facts facts = gc_measure_clock();
    return Py_BuildValue("dd", facts.step_ns, facts.cost_ns);
}

static PyObject *measure_generator(PyObject *self, PyObject *args) {
    (void)self;
    unsigned long long block_bytes, time_ns;
    if (!PyArg_ParseTuple(args, "KK", &block_bytes, &time_ns)) return NULL;
    double rate;
    Py_BEGIN_ALLOW_THREADS
    rate = block_bytes ? gc_measure_generator(block_bytes, time_ns) : 0;
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(rate);
}

static PyObject *bucket_lows(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *lows = PyTuple_New(GC_BUCKETS);
    for (unsigned bucket = 0; lows && bucket < GC_BUCKETS; bucket++) {
        PyObject *low = PyLong_FromUnsignedLongLong(gc_bucket_low(bucket));
        if (!low || PyTuple_SetItem(lows, bucket, low)) Py_CLEAR(lows);
    }
    return lows;
}

/* (fd, buffer, offset, moment_ns) -> (bytes or -errno, begin_ns, end_ns) */
static PyObject *move_whole(PyObject *args, uint32_t operation) {
    int fd;
    Py_buffer buffer;
    unsigned long long offset, moment_ns;
    if (!PyArg_ParseTuple(args, "iw*KK", &fd, &buffer, &offset, &moment_ns)) return NULL;
    gc_move done;
    Py_BEGIN_ALLOW_THREADS
    done = gc_move_at(fd, operation, buffer.buf, (size_t)buffer.len, offset, moment_ns);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&buffer);
    return Py_BuildValue("LKK", (long long)done.moved, (unsigned long long)done.begin_ns,
                         (unsigned long long)done.end_ns);
}

static PyObject *read_at(PyObject *self, PyObject *args) {
    (void)self;
    return move_whole(args, GC_READ);
}

static PyObject *write_at(PyObject *self, PyObject *args) {
    (void)self;
    return move_whole(args, GC_WRITE);
}

static PyObject *fill(PyObject *self, PyObject *args) {
    (void)self;
    Py_buffer buffer;
    unsigned long long seed, run, serial;
    if (!PyArg_ParseTuple(args, "w*KKK", &buffer, &seed, &run, &serial)) return NULL;
    bool aligned = (uintptr_t)buffer.buf % sizeof(uint64_t) == 0;
    if (aligned) {
        Py_BEGIN_ALLOW_THREADS
        gc_generator generator;
        gc_generator_seed(&generator, seed, run, serial);
        gc_generator_fill(&generator, buffer.buf, (size_t)buffer.len);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&buffer);
    if (!aligned) return from_errno(EINVAL);
    Py_RETURN_NONE;
}

static PyObject *flush(PyObject *self, PyObject *args) {
    (void)self;
    int fd, error;
    if (!PyArg_ParseTuple(args, "i", &fd)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    error = -gc_flush(fd);
    Py_END_ALLOW_THREADS
    if (error) return from_errno(error);
    Py_RETURN_NONE;
}

static PyObject *clock_ns(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyLong_FromUnsignedLongLong(gc_clock_ns());
}

static PyMethodDef methods[] = {
    {"prepare", (PyCFunction)(void (*)(void))prepare, METH_VARARGS | METH_KEYWORDS,
     "A run, ready to start, that owns the descriptor; OSError leaves it with the caller."},
    {"execute", execute, METH_O, "Carry the run out, without the GIL; once."},
    {"stop", stop, METH_O, "Issue nothing more."},
    {"abandon", abandon, METH_O, "Issue nothing more, and do not wait for the flush."},
    {"peek", peek, METH_O, "(elapsed_ns, ops_count, moved_bytes, since_progress_ns) at this moment."},
    {"outcome", outcome, METH_O, "What the finished run counted."},
    {"measure_clock", measure_clock, METH_NOARGS, "(smallest step in ns, cost of a reading in ns)"},
    {"measure_generator", measure_generator, METH_VARARGS, "Bytes per second of the data generator."},
    {"bucket_lows", bucket_lows, METH_NOARGS, "The least latency in ns of every bucket of the histograms."},
    {"read_at", read_at, METH_VARARGS, "Wait for the moment, fill the buffer from that offset: (bytes, begin, end)."},
    {"write_at", write_at, METH_VARARGS, "Wait for the moment, write the buffer at that offset: (bytes, begin, end)."},
    {"fill", fill, METH_VARARGS, "Fill the buffer with data that belong to (seed, run, serial) alone."},
    {"flush", flush, METH_VARARGS, "Everything written so far to the medium."},
    {"clock_ns", clock_ns, METH_NOARGS, "The clock that times everything."},
    {NULL, NULL, 0, NULL},
};

static int fill_module(PyObject *module) {
    if (PyModule_AddIntConstant(module, "VERSION", GC_VERSION)) return -1;
    PyObject *ratio = PyFloat_FromDouble(GC_ERROR_RATIO);
    int failed = !ratio || PyModule_AddObjectRef(module, "ERROR_RATIO", ratio);
    Py_XDECREF(ratio);
    return failed ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)fill_module}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "graycard.native._core", "The I/O core of graycard.", 0, methods, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
