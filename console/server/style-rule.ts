/** The declarations of a `style` object as CSS text. Names are converted from `minHeight` to `min-height`. */
export function styleRule(style: object): string {
  return Object.entries(style)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${cssName(name)}:${value}`)
    .join(';')
}

const cssName = (name: string) =>
  name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
