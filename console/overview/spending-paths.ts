/** The day of a time in UTC, such as `2026-11-30`. */
export const dayText = (at: number) => new Date(at).toISOString().slice(0, 10)

/** The first and last day of a month in UTC. @param monthsAgo 0 is the current month, which ends today. */
export function monthOf(monthsAgo: number, now: number): { from: string; to: string } {
  const at = new Date(now)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() - monthsAgo]
  const last = monthsAgo === 0 ? now : Date.UTC(year, month + 1, 0)
  return { from: dayText(Date.UTC(year, month, 1)), to: dayText(last) }
}

/** The path of the spending of this month by member. */
export const spendingByMember = (now = Date.now()) => `/overview/explore?by=member&from=${monthOf(0, now).from}`
