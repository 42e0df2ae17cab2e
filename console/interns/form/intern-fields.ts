import type { Intern, InternPatch, NewIntern } from '../../api/types.ts'

/** The form state of an intern. `mode` is empty until it is chosen. Limits are the text of their inputs. */
export type InternFields = {
  name: string
  description: string
  model: string
  mode: '' | Intern['approval_mode']
  visibility: Intern['visibility']
  instructions: string
  limits: Record<LimitName, string>
}

type LimitName = 'max_cost_usd' | 'max_seconds' | 'session_max_cost_usd' | 'session_max_turns'

/** The limits of the budget, in the order of the form. */
export const limitLabels: Record<LimitName, string> = {
  max_cost_usd: 'Cost of a turn, USD',
  max_seconds: 'Time of a turn, seconds',
  session_max_cost_usd: 'Cost of a session, USD',
  session_max_turns: 'Turns of a session',
}
export const limitNames = Object.keys(limitLabels) as LimitName[]
export const isAmount = (name: LimitName) => name.endsWith('_usd')

const limitsOf = (budget: Intern['budget']): InternFields['limits'] => {
  const text = (name: LimitName) => (budget?.[name] === undefined ? '' : String(budget[name]))
  return Object.fromEntries(limitNames.map((name) => [name, text(name)])) as InternFields['limits']
}

export const emptyIntern: InternFields = {
  name: '',
  description: '',
  model: '',
  mode: '',
  visibility: 'creator',
  instructions: '',
  limits: limitsOf(null),
}

export const fieldsOf = (intern: Intern): InternFields => ({
  name: intern.name,
  description: intern.description ?? '',
  model: intern.model ?? '',
  mode: intern.approval_mode,
  visibility: intern.visibility,
  instructions: intern.instructions ?? '',
  limits: limitsOf(intern.budget),
})

/** Converts the form to the API's format. The mode must be chosen. */
export function parseFields({ mode, limits, ...fields }: InternFields): NewIntern {
  if (mode === '') throw new Error('Choose an approval mode.')
  const filledLimits = limitNames.filter((name) => limits[name].trim() !== '')
  return {
    name: fields.name.trim(),
    description: fields.description.trim() || null,
    model: fields.model.trim() || null,
    approval_mode: mode,
    visibility: fields.visibility,
    instructions: fields.instructions.trim() || null,
    budget:
      filledLimits.length > 0 ? Object.fromEntries(filledLimits.map((name) => [name, Number(limits[name])])) : null,
  }
}

/** The fields that differ. */
export function patchOf(before: InternFields, after: InternFields): InternPatch {
  const [old, next] = [parseFields(before), parseFields(after)]
  const isChanged = (name: keyof InternPatch) =>
    JSON.stringify(old[name as keyof NewIntern]) !== JSON.stringify(next[name as keyof NewIntern])
  return Object.fromEntries(Object.entries(next).filter(([name]) => isChanged(name as keyof InternPatch)))
}

/** Whether a change of these fields takes effect only at the next start. */
export const needsRestart = (patch: InternPatch) =>
  Object.keys(patch).some((name) => ['model', 'instructions', 'approval_mode'].includes(name))
