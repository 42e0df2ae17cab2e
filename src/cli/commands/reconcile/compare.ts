import { comparableModel, type Measure, measures, type UsageSum } from './exports.ts'

export type Comparison = {
  day: string
  model: string
  measure: Measure
  ledger: number
  provider: number
  difference: number
}

/** A smaller difference in USD is the rounding of sums. */
const negligibleUsd = 5e-7

/** Compares the sums of the ledger with those of a provider by day and model. Only measures of the provider are compared. */
export function compareUsage(ledger: readonly UsageSum[], billed: readonly UsageSum[]): Comparison[] {
  const measuresInBill = measures.filter((measure) => billed.some((sum) => sum[measure] !== undefined))
  const hasModels = billed.some(({ model }) => model !== undefined)
  const ledgerSums = sumsOf(ledger, hasModels)
  const billedSums = sumsOf(billed, hasModels)
  const keys = [...new Set([...ledgerSums.keys(), ...billedSums.keys()])].toSorted()
  return keys.flatMap((key) =>
    measuresInBill.map((measure) => {
      const [day = '', model = ''] = key.split(' ')
      const ledgerAmount = ledgerSums.get(key)?.[measure] ?? 0
      const providerAmount = billedSums.get(key)?.[measure] ?? 0
      return {
        day,
        model,
        measure,
        ledger: ledgerAmount,
        provider: providerAmount,
        difference: ledgerAmount - providerAmount,
      }
    }),
  )
}

export const isEqual = ({ measure, difference }: Comparison): boolean =>
  // Counts are whole numbers.
  Math.abs(difference) < (measure === 'cost_usd' ? negligibleUsd : 0.5)

function sumsOf(rows: readonly UsageSum[], hasModels: boolean): Map<string, Record<Measure, number>> {
  const sums = new Map<string, Record<Measure, number>>()
  for (const row of rows) {
    const model = hasModels ? comparableModel(row.model ?? 'other') : 'all'
    const total = sums.getOrInsertComputed(`${row.day} ${model}`, () => ({
      requests: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
    }))
    for (const measure of measures) total[measure] += row[measure] ?? 0
  }
  return sums
}
