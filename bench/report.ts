import { availableParallelism } from 'node:os'

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >>> 1]!
}

let missed = 0
let machine = `${availableParallelism()} cores`

/** The number of cores of the measured process, which each line shows. */
export function inEachLine(cores: string): void {
  machine = cores
}

/** One line of the report; a target that is missed makes the whole run fail. */
export function report(what: string, figure: string, target?: { text: string; met: boolean }): void {
  if (target && !target.met) missed++
  const verdict = target ? `${target.met ? 'ok    ' : 'MISSED'} (target ${target.text})` : ''
  console.log(`${machine}  ${what.padEnd(62)} ${figure.padStart(26)}  ${verdict}`)
}

export function exitWithVerdict(): never {
  process.exit(missed > 0 ? 1 : 0)
}
