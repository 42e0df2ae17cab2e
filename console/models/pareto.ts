/** One model in a plot of its price against something that is good. */
export type Point = { id: string; price: number; good: number }

/** What costs as much as a prompt and a completion that is a third of it, in USD for a million tokens of both. */
export const blendedPrice = ({ prompt, completion }: { prompt: string; completion: string }) =>
  ((Number(prompt) * 3 + Number(completion)) / 4) * 1e6

/** Those to which no other is better and as cheap, cheapest first. */
export function frontOf(points: Point[]): Point[] {
  const front: Point[] = []
  for (const point of [...points].sort((a, b) => a.price - b.price || b.good - a.good)) {
    if (point.good > (front.at(-1)?.good ?? Number.NEGATIVE_INFINITY)) front.push(point)
  }
  return front
}

/** Where a price stands between two others whose ratio counts, from 0 to 1. */
export function logPlace(price: number, [low, high]: [number, number]): number {
  return low === high ? 0.5 : Math.log(price / low) / Math.log(high / low)
}

/** The powers of ten, with 2 and 5 between them where there are few, that an axis of prices shows. */
export function logMarks([low, high]: [number, number]): number[] {
  const powers = Math.log10(high / low)
  const steps = powers > 2.5 ? [1] : powers > 1.2 ? [1, 3] : [1, 2, 5]
  const marks: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) marks.push(Number((step * 10 ** power).toPrecision(3)))
  }
  return marks.filter((mark) => mark >= low && mark <= high)
}
