/** A line of a daemon's log: what happened when, and what is told of it; or a text as it is. */
export type Line = { time: string; event: string; told: string } | { text: string }

export function lineOf(line: string): Line {
  const { time, event, ...told } = objectIn(line)
  if (typeof time !== 'string' || typeof event !== 'string') return { text: line }
  const parts = Object.entries(told).map(([name, value]) => `${name}: ${wordOf(value)}`)
  return { time, event, told: parts.join('  ') }
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function objectIn(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
