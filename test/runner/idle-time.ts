import { cpus } from 'node:os'

/** @returns a function that returns the share of processor time, of all cores, that was idle since its previous call. */
export function idleMeter(read: () => { idleMs: number; totalMs: number } = readTimes): () => number {
  let before = read()
  return () => {
    const now = read()
    const [idleMs, totalMs] = [now.idleMs - before.idleMs, now.totalMs - before.totalMs]
    before = now
    return totalMs > 0 ? idleMs / totalMs : 0
  }
}

function readTimes() {
  const times = cpus().map((core) => core.times)
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    idleMs: sum(times.map(({ idle }) => idle)),
    totalMs: sum(times.flatMap((core) => Object.values(core))),
  }
}
