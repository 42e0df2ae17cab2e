import type { Fold } from '#platform/db/rows/fold.ts'

/** Adds up the first column until the sum reaches `most`, and counts the rows that it used. */
export const fold: Fold<{ most: number }, { sum: number; rows: number }> = {
  module: import.meta.url,
  createReducer({ most }) {
    const result = { sum: 0, rows: 0 }
    return {
      add([value]) {
        if (value === null) throw new Error('nothing to add')
        result.sum += Number(value)
        result.rows++
        return result.sum < most
      },
      *finish() {
        yield
        return result
      },
    }
  },
}
