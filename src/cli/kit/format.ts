/** An instant up to its minute, in UTC. */
export const minute = (instant: string | null) => instant?.slice(0, 16).replace('T', ' ') ?? '-'
/** An instant up to its second, in UTC. */
export const formatSecond = (instant: string | null) => instant?.slice(0, 19).replace('T', ' ') ?? '-'
export const day = (instant: string) => instant.slice(0, 10)
/** Six decimals show the price of a token of the cheapest model, and hide rounding errors of floating-point sums. */
export const usd = (amount: number) => `$${amount.toFixed(6)}`
/** A count with its noun, such as `2 keys`. */
export const countWithNoun = (count: unknown, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
