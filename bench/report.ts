import { availableParallelism } from 'node:os'

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >>> 1]!
}

let missedTargets = 0
let machineLabel = `${availableParallelism()} cores`

/** Sets the number of cores of the measured process, which each line of the report shows. */
export function setMachineLabel(cores: string): void {
  machineLabel = cores
}

/** Prints one line of the report. A missed target makes the run fail. */
export function report(label: string, figure: string, target?: { text: string; isMet: boolean }): void {
  if (target && !target.isMet) missedTargets++
  const verdict = target ? `${target.isMet ? 'ok    ' : 'MISSED'} (target ${target.text})` : ''
  console.log(`${machineLabel}  ${label.padEnd(62)} ${figure.padStart(26)}  ${verdict}`)
}

/** Ends the process, with status 1 if a target was missed. */
export function exitWithVerdict(): never {
  process.exit(missedTargets > 0 ? 1 : 0)
}
