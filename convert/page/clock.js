// clock.js - times of day, as the command line has them: ticks to "22:44:24.075" in UTC and back.

const day = 86400e3, pad = (n, width = 2) => String(n).padStart(width, '0');

// Ticks from the first sample as a time of day, with this many digits of the fraction of a second.
function clockOf(samples, tick, digits = 3) {
    const ms = Math.round(samples.first + tick * samples.tick), t = (ms % day + day) % day;
    const text = [t / 3600e3, t / 60e3 % 60, t / 1e3 % 60].map((n) => pad(Math.floor(n))).join(':');

    return digits > 0 ? `${text}.${pad(t % 1000, 3).slice(0, digits)}` : text;
}

// "22:44", "22:44:24.075" on the day of the first sample or the next one, or "3.5": seconds from the first sample.
// Not a number for anything else.
function ticksOf(samples, text) {
    const [, h, m, s = '0'] = text.trim().match(/^(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?$/) ?? [];

    if (h === undefined)
        return /^\d+(\.\d+)?$/.test(text.trim()) ? Math.round(text * 1000 / samples.tick) : NaN;
    const midnight = Math.floor(samples.first / day) * day, at = midnight + ((+h * 60 + +m) * 60 + +s) * 1000;
    return Math.round((at + (at + 500 < samples.first ? day : 0) - samples.first) / samples.tick);
}

// The distance between marks of an axis, at least `least` ticks: {step in ticks, digits for clockOf}.
function axisOf(samples, least) {
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 14400e3, 43200e3, day];
    const ms = steps.find((step) => step >= least * samples.tick) ?? Math.ceil(least * samples.tick / day) * day;

    return {step: ms / samples.tick, digits: ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : 3};
}
