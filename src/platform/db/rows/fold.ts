import { setImmediate as breathe } from 'node:timers/promises'

/** Reduces rows to a small result. */
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
 * A way to fold rows. The thread of the embedded database loads the module and uses its export `fold`, so that only the
 * result is sent and the main thread does none of the work.
 */
export type Fold<Input, Result> = { module: string; begin: (input: Input) => Folding<Result> }

/**
 * The only parameter of a statement whose rows the embedded database folds. The signal has no effect if another process owns
 * the database.
 */
export type FoldedRows = { module: string; input: unknown; parameters: readonly unknown[]; signal?: AbortSignal }

export function isFolded(parameter: unknown): parameter is FoldedRows {
  return typeof parameter === 'object' && parameter !== null && 'module' in parameter
}

/** The number of rows between which other statements can run. */
const rowsAtOnce = 1000

/** @returns undefined if the caller has cancelled it. */
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
