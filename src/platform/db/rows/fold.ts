import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Reduces rows to a small result. */
export type RowReducer<Result> = {
  /**
   * @param values of a row, in the order of its columns. Whole numbers may be bigints.
   * @returns whether further rows are needed.
   */
  add: (values: readonly unknown[]) => boolean
  /** Computes the result, which `structuredClone` can copy, in steps between which other work can run. */
  finish: () => Generator<undefined, Result>
}

/**
 * A reduction of rows. The thread of the embedded database loads `module` and uses its export `fold`, so that the main
 * thread only receives the result.
 */
export type Fold<Input, Result> = { module: string; createReducer: (input: Input) => RowReducer<Result> }

/**
 * The only parameter of a statement whose rows the embedded database reduces. It contains the parameters for SQLite. The signal
 * has no effect if another process owns the database.
 */
export type RowReduction = { module: string; input: unknown; parameters: readonly unknown[]; signal?: AbortSignal }

export function isRowReduction(parameter: unknown): parameter is RowReduction {
  return typeof parameter === 'object' && parameter !== null && 'module' in parameter
}

/** The number of rows between which other statements can run. */
const rowsPerSlice = 1000

/** @returns undefined if the caller has cancelled it. */
export async function foldInSlices<Result>(
  rows: Iterable<readonly unknown[]>,
  reducer: RowReducer<Result>,
  isCancelled: () => boolean,
): Promise<{ result: Result } | undefined> {
  let count = 0
  for (const row of rows) {
    if (!reducer.add(row)) break
    if (++count % rowsPerSlice > 0) continue
    await yieldToEventLoop()
    if (isCancelled()) return undefined
  }
  const steps = reducer.finish()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { result: step.value }
    await yieldToEventLoop()
    if (isCancelled()) return undefined
  }
}
