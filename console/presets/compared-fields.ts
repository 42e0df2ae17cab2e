import type { PresetVersion } from '../api/types.ts'

type Version = Pick<PresetVersion, 'system_prompt' | 'config'>
type ComparedField = { field: string; from: string | undefined; to: string | undefined }

/** The fields of a version as text, system prompt first. */
function textsOf({ system_prompt, config }: Version): Map<string, string> {
  const fields = Object.entries(config).sort(([a], [b]) => a.localeCompare(b))
  const prompt: [string, string][] = system_prompt === null ? [] : [['system prompt', system_prompt]]
  return new Map([...prompt, ...fields.map(([name, value]): [string, string] => [name, textOf(value)])])
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1))

/** All fields of two versions with their values, also those that are the same. */
export function compareFields(from: Version, to: Version): ComparedField[] {
  const [textsBefore, textsAfter] = [textsOf(from), textsOf(to)]
  return [...new Set([...textsAfter.keys(), ...textsBefore.keys()])].map((field) => ({
    field,
    from: textsBefore.get(field),
    to: textsAfter.get(field),
  }))
}
