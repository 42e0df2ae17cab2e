type SparkProps = {
  label: string
  lines: { values: number[]; tone: 'accent' | 'bad' }[]
  width?: number
  height?: number
}

/** A small plot without axes. */
export function Spark({ label, lines, width = 220, height = 38 }: SparkProps) {
  const highest = Math.max(1, ...lines.flatMap(({ values }) => values))
  // The width of the line needs a free px below and two above.
  const points = (values: number[]) =>
    values
      .map((value, index) => {
        const x = (index / Math.max(1, values.length - 1)) * width
        return `${x.toFixed(1)},${(height - 1 - (value / highest) * (height - 3)).toFixed(1)}`
      })
      .join(' ')
  return (
    <svg class="spark" role="img" aria-label={label} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
      {lines.map(({ values, tone }) => (
        <polyline key={tone} class={tone} points={points(values)} />
      ))}
    </svg>
  )
}
