type Dot = { name: string; x: number; y: number }
type Label = { name: string; x: number; y: number; isLeft: boolean }
type Box = { left: number; right: number; top: number; bottom: number }

/** Sizes of the plot font, in px. */
const letterWidth = 6.6
const lineHeight = 13
const dotRadius = 6
/** The part of a letter below the baseline. */
const descent = 3

/** Offsets of the baseline from the dot, in order of preference: above right, above left, below right, below left. */
const labelOffsets = [
  [8, -7],
  [-8, -7],
  [8, 16],
  [-8, 16],
] as const

const overlaps = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Places labels beside their dots without overlaps. Labels without room are omitted. */
export function placeLabels(dots: Dot[], bounds: { left: number; right: number }): Label[] {
  const occupied = dots.map(
    ({ x, y }): Box => ({ left: x - dotRadius, right: x + dotRadius, top: y - dotRadius, bottom: y + dotRadius }),
  )
  return dots.flatMap(({ name, x, y }) => {
    for (const [dx, dy] of labelOffsets) {
      const [textX, textWidth] = [x + dx, name.length * letterWidth]
      const left = dx < 0 ? textX - textWidth : textX
      const box = { left, right: left + textWidth, top: y + dy - lineHeight + descent, bottom: y + dy + descent }
      if (left < bounds.left || box.right > bounds.right || occupied.some((one) => overlaps(one, box))) continue
      occupied.push(box)
      return [{ name, x: textX, y: y + dy, isLeft: dx < 0 }]
    }
    return []
  })
}
