import { comparableModel, type Measure, measures, type UsageSum } from './exports.ts'

export type Comparison = {
  day: string
  model: string
  measure: Measure
  ledger: number
  provider: number
  difference: number
}

/** Rounding of sums, in USD. */
const negligibleUsd = 5e-7

/** Compares the sums of the ledger with those of a provider by day and model. Only measures of the provider are compared. */
export function compareUsage(ledger: readonly UsageSum[], billed: readonly UsageSum[]): Comparison[] {
  const measuresInBill = measures.filter((measure) => billed.some((one) => one[measure] !== undefined))
  const hasModels = billed.some(({ model }) => model !== undefined)
  const ledgerSums = sumsOf(ledger, hasModels)
  const billedSums = sumsOf(billed, hasModels)
  const keys = [...new Set([...ledgerSums.keys(), ...billedSums.keys()])].toSorted()
  return keys.flatMap((key) =>
    measuresInBill.map((measure) => {
      const [day = '', model = ''] = key.split(' ')
      const [own, other] = [ledgerSums.get(key)?.[measure] ?? 0, billedSums.get(key)?.[measure] ?? 0]
      return { day, model, measure, ledger: own, provider: other, difference: own - other }
    }),
  )
}

export const isEqual = ({ measure, difference }: Comparison): boolean =>
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
