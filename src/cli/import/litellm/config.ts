import { parseSource } from '#catalogue/sources/document.ts'
import { CatalogueRefused } from '#catalogue/sources/layer.ts'
import { z } from '#platform/json/schema.ts'

const Text = z.string().min(1)
const Section = z.looseObject({}).nullish()

/** A row of `model_list`. LiteLLM's Pydantic models take more; what is read here is named, the rest stays beside it. */
const Row = z.object({
  model_name: Text,
  litellm_params: z.looseObject({
    model: Text,
    custom_llm_provider: Text.nullish(),
    api_base: Text.nullish(),
    api_key: Text.nullish(),
  }),
  model_info: Section,
})
export type Row = z.infer<typeof Row>
export type Section = Record<string, unknown>

/** A credential that rows may refer to by name. */
const Credential = z.object({ credential_name: Text, credential_values: z.looseObject({}) })

const Config = z.looseObject({
  model_list: z.array(z.unknown()).nullish(),
  guardrails: z.array(z.unknown()).nullish(),
  credential_list: z.array(z.unknown()).nullish(),
  litellm_settings: Section,
  general_settings: Section,
  router_settings: Section,
})

export type LitellmConfig = {
  /** With its place in `model_list`; a broken one has a reason instead. */
  rows: { at: number; row?: Row }[]
  guardrails: unknown[]
  litellm: Section
  general: Section
  router: Section
  /** Sections that nobody here knows. */
  others: Section
}

/** @throws CatalogueRefused naming the line, where it is not YAML or not a configuration of LiteLLM at all. */
export function readConfig(text: string, source: string): LitellmConfig {
  const { value, lineOf } = parseSource(text, source)
  const parsed = Config.safeParse(value ?? {})
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    const where = `line ${lineOf(path) ?? 1}${path.length > 0 ? `: ${path.join('.')}` : ''}`
    throw new CatalogueRefused(`${source} is no configuration of LiteLLM: ${where}: ${message}.`)
  }
  const { model_list, guardrails, credential_list, litellm_settings, general_settings, router_settings, ...others } =
    parsed.data
  const credentials = new Map(
    (credential_list ?? []).flatMap((given) => {
      const { data } = Credential.safeParse(given)
      return data ? [[data.credential_name, data.credential_values] as const] : []
    }),
  )
  return {
    rows: (model_list ?? []).map((given, at) => {
      const row = withCredential(Row.safeParse(given).data, credentials)
      return row ? { at, row } : { at }
    }),
    guardrails: guardrails ?? [],
    litellm: litellm_settings ?? {},
    general: general_settings ?? {},
    router: router_settings ?? {},
    others,
  }
}

/** A row's own settings take precedence over those it refers to. */
function withCredential(row: Row | undefined, credentials: ReadonlyMap<string, Section>): Row | undefined {
  const values = credentials.get(String(row?.litellm_params.litellm_credential_name))
  if (!row || !values) return row
  const merged = Row.safeParse({ ...row, litellm_params: { ...values, ...row.litellm_params } })
  return merged.success ? merged.data : row
}
