/** A model in a plot of price against a score. */
export type Point = { id: string; price: number; score: number }

/** The price of a million tokens, 75 % of them prompt, in USD. */
export const blendedPrice = ({ prompt, completion }: { prompt: string; completion: string }) =>
  ((Number(prompt) * 3 + Number(completion)) / 4) * 1e6

/** The Pareto front: no other model is cheaper and better. Cheapest first. */
export function paretoFront(points: Point[]): Point[] {
  const front: Point[] = []
  for (const point of [...points].sort((a, b) => a.price - b.price || b.score - a.score)) {
    if (point.score > (front.at(-1)?.score ?? Number.NEGATIVE_INFINITY)) front.push(point)
  }
  return front
}

/** The position of a price on a logarithmic axis, from 0 to 1. */
export function logScalePosition(price: number, [low, high]: [number, number]): number {
  return low === high ? 0.5 : Math.log(price / low) / Math.log(high / low)
}

/** The ticks of a logarithmic axis: powers of ten, with steps between if there are few. */
export function logTicks([low, high]: [number, number]): number[] {
  const powers = Math.log10(high / low)
  const steps = powers > 2.5 ? [1] : powers > 1.2 ? [1, 3] : [1, 2, 5]
  const ticks: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) ticks.push(Number((step * 10 ** power).toPrecision(3)))
  }
  return ticks.filter((tick) => tick >= low && tick <= high)
}
