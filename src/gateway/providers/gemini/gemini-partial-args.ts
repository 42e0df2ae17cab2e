/** A part of the arguments of a call that Vertex AI streams: a value at a JSON path. Texts of the same path are joined. */
export type PartialArg = {
  jsonPath?: string
  stringValue?: string
  numberValue?: number
  boolValue?: boolean
  nullValue?: unknown
}
type Step = string | number
type Container = Record<string, unknown> | unknown[]

/** The arguments of one call that arrive in parts. */
export class PartialArguments {
  readonly #root = newObject()

  /** @throws Error for a part that does not fit those before it. */
  add(parts: readonly PartialArg[]): void {
    for (const part of parts) this.#add(part)
  }

  toJson(): string {
    return JSON.stringify(this.#root)
  }

  #add(part: PartialArg): void {
    const path = part.jsonPath ?? ''
    const steps = parseSteps(path)
    const last = steps.pop()
    if (last === undefined) throw createPathError(path)
    let container: Container = this.#root
    for (const [at, step] of steps.entries()) {
      const isList = typeof (steps[at + 1] ?? last) === 'number'
      const inner: unknown = readValue(container, step, path) ?? (isList ? [] : newObject())
      if (typeof inner !== 'object' || inner === null) throw createPathError(path)
      setValue(container, step, inner)
      container = inner as Container
    }
    const before = readValue(container, last, path)
    const value = readPartValue(part)
    if (value === undefined) {
      if (before === undefined) throw createPathError(path)
    } else if (before === undefined) setValue(container, last, value)
    else if (typeof before === 'string' && typeof value === 'string') setValue(container, last, before + value)
    else throw createPathError(path)
  }
}

/** Creates an object without a prototype, in which every name is an ordinary field. */
const newObject = () => Object.create(null) as Record<string, unknown>

function readPartValue({ stringValue, numberValue, boolValue, nullValue }: PartialArg): unknown {
  return stringValue ?? numberValue ?? boolValue ?? (nullValue === undefined ? undefined : null)
}

/** Reads a field or an item. @throws Error for an item beyond the end of a list, because lists grow by one item at a time. */
function readValue(container: Container, step: Step, path: string): unknown {
  if (Array.isArray(container) !== (typeof step === 'number')) throw createPathError(path)
  if (Array.isArray(container) && (step as number) > container.length) throw createPathError(path)
  return (container as Record<Step, unknown>)[step]
}

function setValue(container: Container, step: Step, value: unknown): void {
  ;(container as Record<Step, unknown>)[step] = value
}

const stepPattern = /\.([^.[\]*]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[("(?:[^"\\]|\\.)*")\]/y
/** Deeper than the arguments of any function. */
const maxSteps = 100

/** The steps of a JSON path of single fields, such as `$.files[0]['a b']`. @throws Error for another path. */
function parseSteps(path: string): Step[] {
  const steps: Step[] = []
  let at = path.startsWith('$') ? 1 : -1
  while (at !== -1 && at < path.length && steps.length < maxSteps) {
    stepPattern.lastIndex = at
    const match = stepPattern.exec(path)
    if (!match) throw createPathError(path)
    const [, name, index, single, quoted] = match
    if (index !== undefined) steps.push(Number(index))
    else steps.push(name ?? single?.replace(/\\(.)/g, '$1') ?? (JSON.parse(quoted!) as string))
    at = stepPattern.lastIndex
  }
  if (at !== path.length) throw createPathError(path)
  return steps
}

const createPathError = (path: string) =>
  new Error(`the arguments of its call have a part that does not fit: ${JSON.stringify(path.slice(0, 100))}`)
