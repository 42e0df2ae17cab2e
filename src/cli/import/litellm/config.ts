import { parseSource } from '#catalogue/sources/format/document.ts'
import { CatalogueError } from '#catalogue/sources/layer.ts'
import { isObject } from '#platform/core/is-object.ts'
import { z } from '#platform/json/schema.ts'

const Text = z.string().min(1)
const OptionalSection = z.looseObject({}).nullish()

/** A row of `model_list`. Only the fields that the import checks are declared; other fields of the two sections are kept. */
const Row = z.object({
  model_name: Text,
  litellm_params: z.looseObject({
    model: Text,
    custom_llm_provider: Text.nullish(),
    api_base: Text.nullish(),
    api_key: Text.nullish(),
  }),
  model_info: OptionalSection,
})
export type Row = z.infer<typeof Row>
export type Section = Record<string, unknown>

/** A credential that rows reference by name. */
const Credential = z.object({ credential_name: Text, credential_values: z.looseObject({}) })

const Config = z.looseObject({
  model_list: z.array(z.unknown()).nullish(),
  guardrails: z.array(z.unknown()).nullish(),
  credential_list: z.array(z.unknown()).nullish(),
  litellm_settings: OptionalSection,
  general_settings: OptionalSection,
  router_settings: OptionalSection,
})

export type LitellmConfig = {
  /** The rows of `model_list` with their index. `row` is missing for an invalid one. */
  rows: { index: number; row?: Row }[]
  guardrails: unknown[]
  litellm: Section
  general: Section
  router: Section
  /** Unknown sections. */
  others: Section
}

/** Parses a configuration. @throws CatalogueError with the line, if it is not YAML or not a LiteLLM configuration */
export function readConfig(text: string, source: string): LitellmConfig {
  const { value, findLine: lineOf } = parseSource(text, source)
  const parsed = Config.safeParse(value ?? {})
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    const position = `line ${lineOf(path) ?? 1}${path.length > 0 ? `: ${path.join('.')}` : ''}`
    throw new CatalogueError(`${source} is not a LiteLLM configuration: ${position}: ${message}.`)
  }
  const { model_list, guardrails, credential_list, litellm_settings, general_settings, router_settings, ...others } =
    parsed.data
  const credentials = new Map(
    (credential_list ?? []).flatMap((credential) => {
      const { data } = Credential.safeParse(credential)
      return data ? [[data.credential_name, data.credential_values] as const] : []
    }),
  )
  return {
    rows: (model_list ?? []).map((value, index) => {
      const row = withCredential(Row.safeParse(value).data, credentials)
      return row ? { index, row } : { index }
    }),
    guardrails: guardrails ?? [],
    litellm: litellm_settings ?? {},
    general: general_settings ?? {},
    router: router_settings ?? {},
    others,
  }
}

/** Merges the credential that a row references. The settings of the row take precedence. */
function withCredential(row: Row | undefined, credentials: ReadonlyMap<string, Section>): Row | undefined {
  const values = credentials.get(String(row?.litellm_params.litellm_credential_name))
  if (!row || !values) return row
  const merged = Row.safeParse({ ...row, litellm_params: { ...values, ...row.litellm_params } })
  return merged.success ? merged.data : row
}

/** The items of a list that are objects. */
export const rowsOf = (value: unknown): Section[] =>
  Array.isArray(value) ? value.flatMap((item): Section[] => (sectionOf(item) ? [item] : [])) : []

export const sectionOf = (value: unknown): Section | undefined => (isObject(value) ? (value as Section) : undefined)
