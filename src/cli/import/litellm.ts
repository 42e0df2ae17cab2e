import { z } from 'zod'
import { parseSource } from '#catalogue/document.ts'
import { toDecimal } from '#lib/money.ts'

const Text = z.string().min(1)
const Row = z.object({
  model_name: Text,
  litellm_params: z.looseObject({ model: Text, api_base: Text.optional(), api_key: Text.optional() }),
  model_info: z.looseObject({}).optional(),
})
const Config = z.looseObject({ model_list: z.array(z.unknown()).default([]) })

type Endpoint = { model: string; prices: { prompt: string; completion: string } }
type Model = {
  name: string
  created: string
  context_length: number
  aliases: string[]
  endpoints: Record<string, Endpoint>
}
type Provider = { name: string; protocol: 'openai-chat'; base_url: string; credentials?: string[] }

/** What a LiteLLM configuration becomes, and what of it could not be taken, a sentence each. */
export type Imported = {
  catalogue: { providers: Record<string, Provider>; models: Record<string, Model> }
  left: string[]
}

/** Takes the rows of `model_list` that have an address and prices of their own. @throws CatalogueRefused naming the line. */
export function fromLitellm(text: string, source: string, today: string): Imported {
  const { model_list: rows, ...rest } = Config.parse(parseSource(text, source).value ?? {})
  const imported: Imported = { catalogue: { providers: {}, models: {} }, left: [] }
  rows.forEach((given, at) => {
    const row = Row.safeParse(given)
    const reason = row.success ? take(imported, row.data, today) : 'it has no model_name or no litellm_params.model'
    if (reason) imported.left.push(`model_list[${at}]${row.success ? ` ${row.data.model_name}` : ''}: ${reason}`)
  })
  for (const [part, value] of Object.entries(rest))
    for (const name of value && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [''])
      imported.left.push(`${part}${name && `.${name}`}: docs/from-litellm.md says where it goes`)
  return imported
}

/** @returns why the row could not be taken. */
function take({ catalogue, left }: Imported, row: z.infer<typeof Row>, today: string): string | undefined {
  const { model, api_base: base, api_key: key, ...params } = row.litellm_params
  if (!base) return `${model} has no api_base: a provider that is known needs no row, only its key in the environment`
  if (/[?#]/.test(base)) return 'its api_base has a query'
  const info = { ...row.model_info, ...params }
  const prompt = perMillion(info.input_cost_per_token)
  const completion = perMillion(info.output_cost_per_token)
  if (prompt === undefined || completion === undefined)
    return 'it says no input_cost_per_token and output_cost_per_token: say 0 where it is free'
  const slug = slugOf(URL.parse(base)?.host ?? base)
  const variable = /^os\.environ\/(\w+)$/.exec(key ?? '')?.[1]
  if (key && !variable)
    left.push(`the api_key of ${row.model_name} is not copied: put it into the variable ${envOf(slug)}`)
  const credentials = key ? { credentials: [variable ?? envOf(slug)] } : {}
  const known = catalogue.providers[slug]
  if (known && (known.base_url !== base || known.credentials?.[0] !== credentials.credentials?.[0]))
    return `${slug} has another address or key in an earlier row: give it a provider of its own`
  const upstream = model.slice(model.indexOf('/') + 1)
  const id = `${slug}/${slugOf(upstream.split('/').at(-1) ?? upstream)}`
  const context = Number(info.max_input_tokens ?? 0)
  if (!context) left.push(`${row.model_name}: its context length is not said (max_input_tokens): 131072 is written`)
  catalogue.providers[slug] = { name: slug, protocol: 'openai-chat', base_url: base, ...credentials }
  const before = catalogue.models[id]
  catalogue.models[id] = {
    name: upstream,
    created: today,
    context_length: context || 131_072,
    aliases: [...new Set([...(before?.aliases ?? []), row.model_name])],
    endpoints: { [slug]: { model: upstream, prices: { prompt, completion } } },
  }
  return undefined
}

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
const envOf = (slug: string) => `${slug.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`

/** Decimal, as a price list has it. */
function perMillion(perToken: unknown): string | undefined {
  const amount = Number(perToken)
  if (perToken === undefined || perToken === null || !(amount >= 0)) return undefined
  return toDecimal(Number((amount * 1e6).toPrecision(12)))
}
