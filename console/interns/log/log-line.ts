/** A line of the daemon's log: time, event and details, or plain text. */
type Line = { time: string; event: string; details: string } | { text: string }

export function parseLine(line: string): Line {
  const { time, event, ...details } = parseObject(line)
  if (typeof time !== 'string' || typeof event !== 'string') return { text: line }
  const parts = Object.entries(details).map(([name, value]) => `${name}: ${formatValue(value)}`)
  return { time, event, details: parts.join('  ') }
}

const formatValue = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function parseObject(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
