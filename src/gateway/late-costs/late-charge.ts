import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { type ChargedRow, type NewCharge, unconfirmedAmountOfResponse } from '#spend/corrections/charged-row.ts'
import type { ReportedBill } from '../providers/cost-lookup-protocols.ts'

/**
 * The charge by a bill that arrived later: at most what the request could cost. The amounts of failed attempts stay
 * unconfirmed, because the bill does not contain them.
 * @param priceOf the cost of the reported tokens, for a provider that reports no cost.
 */
export function toLateCharge(
  row: ChargedRow,
  { cost: reportedCost, tokens }: ReportedBill,
  priceOf: () => PicoUsd | undefined,
  at: number,
): NewCharge | undefined {
  const bill = reportedCost ?? priceOf()
  if (bill === undefined) return undefined
  const unconfirmed = unconfirmedAmountOfResponse(row)
  const bound = row.cost + unconfirmed
  const exceedsBound = bill > bound
  return {
    cost: exceedsBound ? bound : bill,
    margin: row.margin - unconfirmed,
    tokens,
    correction: { source: 'provider', at },
    overbilledAmount: exceedsBound ? bill : undefined,
  }
}
