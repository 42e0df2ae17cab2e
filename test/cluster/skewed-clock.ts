/** Preloaded into a server: its clock is wrong by CLOCK_SKEW_MS. */
const skewMs = Number(process.env.CLOCK_SKEW_MS)
const Exact = Date

class Skewed extends Exact {
  constructor(...args: [] | [number]) {
    if (args.length === 0) super(Exact.now() + skewMs)
    else super(...args)
  }
  static override now(): number {
    return Exact.now() + skewMs
  }
}

globalThis.Date = Skewed as DateConstructor
