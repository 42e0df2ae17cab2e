type Dot = { name: string; x: number; y: number }
type Label = { name: string; x: number; y: number; isLeft: boolean }
type Box = { left: number; right: number; top: number; bottom: number }

/** Sizes of the plot font, in px. */
const letter = 6.6
const line = 13
const dot = 6

const overlaps = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Places labels beside their dots without overlaps. Labels without room are omitted. */
export function placeLabels(dots: Dot[], bounds: { left: number; right: number }): Label[] {
  const occupied = dots.map(({ x, y }): Box => ({ left: x - dot, right: x + dot, top: y - dot, bottom: y + dot }))
  return dots.flatMap(({ name, x, y }) => {
    for (const [across, down] of [
      [8, -7],
      [-8, -7],
      [8, 16],
      [-8, 16],
    ] as const) {
      const [begin, long] = [x + across, name.length * letter]
      const left = across < 0 ? begin - long : begin
      const box = { left, right: left + long, top: y + down - line + 3, bottom: y + down + 3 }
      if (left < bounds.left || box.right > bounds.right || occupied.some((one) => overlaps(one, box))) continue
      occupied.push(box)
      return [{ name, x: begin, y: y + down, isLeft: across < 0 }]
    }
    return []
  })
}
