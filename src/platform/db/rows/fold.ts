import { setImmediate as breathe } from 'node:timers/promises'

/** Takes rows one after the other, and makes something small of them. */
export type Folding<Result> = {
  /**
   * @param values of a row, in the order of its columns. Whole numbers may be bigints.
   * @returns whether more rows are wanted.
   */
  add: (values: readonly unknown[]) => boolean
  /** Computes the result, which `structuredClone` can copy, in steps between which other work can run. */
  finish: () => Generator<undefined, Result>
}

/**
 * How rows are folded. The thread that reads the embedded database loads the module and takes what it exports as `fold`: only
 * what comes out is sent, and the thread that answers requests does none of the work.
 */
export type Fold<Input, Result> = { module: string; begin: (input: Input) => Folding<Result> }

/**
 * The one parameter of a statement whose rows the embedded database folds. Another process hears nothing of the signal: what
 * it is asked for goes on to its end.
 */
export type FoldedRows = { module: string; input: unknown; parameters: readonly unknown[]; signal?: AbortSignal }

export function isFolded(parameter: unknown): parameter is FoldedRows {
  return typeof parameter === 'object' && parameter !== null && 'module' in parameter
}

/** Between two slices, others have their turn. */
const rowsAtOnce = 1000

/** @returns undefined where nobody wants it any more. */
export async function foldInSlices<Result>(
  rows: Iterable<readonly unknown[]>,
  folding: Folding<Result>,
  isUnwanted: () => boolean,
): Promise<{ result: Result } | undefined> {
  let taken = 0
  for (const row of rows) {
    if (!folding.add(row)) break
    if (++taken % rowsAtOnce > 0) continue
    await breathe()
    if (isUnwanted()) return undefined
  }
  const steps = folding.finish()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { result: step.value }
    await breathe()
    if (isUnwanted()) return undefined
  }
}
