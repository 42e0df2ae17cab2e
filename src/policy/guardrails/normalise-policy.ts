import { setImmediate } from 'node:timers/promises'
import type { Config } from '#platform/config/settings.ts'
import { builtinLabels, scopedBuiltins } from '../filters/detectors/builtins.ts'
import { compilePattern } from '../filters/patterns/compile-pattern.ts'
import { emptyPolicy, type Policy } from './decide/policy.ts'
import { type Checked, maxListedProblems, type Problem, requireNoProblems } from './decide/problems.ts'
import { readZdrFields } from './decide/zdr.ts'
import type { GuardrailPatch } from './guardrail-patch.ts'

/** The part of the catalogue that resolves the names in a guardrail. */
type NameCatalogue = {
  current: () => {
    findModel: (name: string) => { canonicalSlug: string } | undefined
    findProvider: (slugOrName: string) => { slug: string } | undefined
  }
}

export type NormaliseDeps = { config: Pick<Config, 'zdr_vendors'>; catalogue: NameCatalogue }

/** The total size limit of a guardrail's custom patterns, because a request can be matched against all of them. */
const maxPatternsSize = 100_000

/**
 * Converts the fields of a request into their stored form. Missing fields stay missing.
 * @throws Fault `invalid` for unknown models and providers, names that occur twice, and patterns that cannot run.
 */
export async function normalisePolicy(deps: NormaliseDeps, body: GuardrailPatch): Promise<Partial<Policy>> {
  const names = resolveNames(deps.catalogue, body)
  const zdr = readZdrFields(deps.config.zdr_vendors, body)
  const patternProblems = await checkPatterns(body.content_filters ?? [])
  requireNoProblems([...names.problems, ...zdr.problems, ...patternProblems])
  return pickPolicy({
    ...body,
    ...names.value,
    ...zdr.value,
    group_limits: mapList(body.group_limits, ({ by, tag_name = null, limit_usd, reset_interval = null }) => ({
      by,
      tag_name,
      limit_usd,
      reset_interval,
    })),
    content_filter_builtins: mapList(body.content_filter_builtins, completeBuiltin),
  })
}

const nameFields = ['allowed_models', 'ignored_models', 'allowed_providers', 'ignored_providers'] as const
type NameField = (typeof nameFields)[number]

/** Null removes the list, undefined does not change it. */
type NameList = string[] | null | undefined

function resolveNames(catalogue: NameCatalogue, body: GuardrailPatch): Checked<Partial<Record<NameField, NameList>>> {
  const { findModel, findProvider } = catalogue.current()
  const models = { kind: 'model', slugOf: (name: string) => findModel(name)?.canonicalSlug }
  const providers = { kind: 'provider', slugOf: (name: string) => findProvider(name)?.slug }
  const kindOf = {
    allowed_models: models,
    ignored_models: models,
    allowed_providers: providers,
    ignored_providers: providers,
  }
  const resolved = nameFields.map((field) => [field, resolveList(field, body[field], kindOf[field])] as const)
  return {
    value: Object.fromEntries(resolved.map(([field, { value }]) => [field, value])),
    problems: resolved.flatMap(([, { problems }]) => problems),
  }
}

type NameKind = { kind: string; slugOf: (name: string) => string | undefined }

function resolveList(field: NameField, names: NameList, { kind, slugOf }: NameKind): Checked<NameList> {
  const problems: Problem[] = []
  const firstIndexes = new Map<string, number>()
  const value = mapList(names, (name, i) => {
    const slug = slugOf(name)
    const path = `${field}[${i}]`
    if (slug === undefined) {
      const message = `the catalogue does not contain the ${kind} ${JSON.stringify(name)} (GET /${kind}s lists all)`
      problems.push({ path, message })
      return name
    }
    const earlier = firstIndexes.get(slug)
    if (earlier === undefined) firstIndexes.set(slug, i)
    else problems.push({ path, message: `is the same ${kind} as item ${earlier}, ${slug}` })
    return slug
  })
  return { value, problems }
}

/**
 * Checks one pattern at a time and yields between two, so that other requests are served. Stops when a refusal would not list
 * further problems.
 */
async function checkPatterns(filters: readonly { pattern: string }[]): Promise<Problem[]> {
  const problems: Problem[] = []
  let size = 0
  for (const [i, { pattern }] of filters.entries()) {
    const compiled = compilePattern(pattern)
    if ('refusal' in compiled) problems.push({ path: `content_filters[${i}].pattern`, message: compiled.refusal })
    else size += compiled.size
    if (problems.length > maxListedProblems) return problems
    await setImmediate()
  }
  if (size > maxPatternsSize) {
    const message = `have more than ${maxPatternsSize} steps in total: about one for each character, class and operator, times its repetitions`
    problems.push({ path: 'content_filters', message })
  }
  return problems
}

function completeBuiltin({ slug, action, scan_scope }: NonNullable<GuardrailPatch['content_filter_builtins']>[number]) {
  const filter = { slug, action, label: builtinLabels[slug] }
  return scopedBuiltins.has(slug) ? { ...filter, scan_scope: scan_scope ?? ('all_messages' as const) } : filter
}

/** Changes the items of a list. Null, which removes a list, and undefined, which does not change it, stay as they are. */
function mapList<From, To>(
  list: From[] | null | undefined,
  change: (item: From, i: number) => To,
): To[] | null | undefined {
  return list === null ? null : list?.map(change)
}

/** Removes undefined fields and fields that do not belong to a policy. */
function pickPolicy(values: { [Field in keyof Policy]?: Policy[Field] | undefined }): Partial<Policy> {
  const fields = Object.keys(emptyPolicy) as (keyof Policy)[]
  return Object.fromEntries(fields.flatMap((field) => (values[field] === undefined ? [] : [[field, values[field]]])))
}
