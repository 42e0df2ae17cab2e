import type { Provider } from '#catalogue/index/model.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from '../config.ts'
import { referencedVariable, slugOf } from '../names.ts'
import type { KnownCatalogue } from './known-catalogue.ts'
import { unsupported, type Vendor, vendorOfBareModel, vendors } from './vendors.ts'

/** The server and the upstream model name of a row. */
export type Source = {
  /** The provider in the catalogue, if it is known. */
  provider?: Provider
  /** The slug for an unknown provider. */
  slug: string
  protocol: Protocol
  baseUrl: string
  /** Whether the model is free: a self-hosted program, or an address in a private network. */
  isSelfHosted: boolean
  /** The model name that the server expects. */
  upstream: string
  /** The provider in the catalogue that has the same models at another address. */
  referenceProvider?: string
  /** The default variable for the key. */
  variable?: string
}

/** Finds the server of a row. @returns the reason if the row cannot be imported */
export function sourceOf({ litellm_params: params }: Row, catalogue: KnownCatalogue): Source | string {
  const slash = params.model.indexOf('/')
  const modelPrefix = slash > 0 ? params.model.slice(0, slash) : undefined
  const providerName = params.custom_llm_provider ?? (modelPrefix && modelPrefix in vendors ? modelPrefix : undefined)
  // With `api_base`, an unknown prefix can be a part of the model's name, so the whole name is examined first.
  const prefix =
    providerName ?? (modelPrefix && !params.api_base ? modelPrefix : (vendorOfBareModel(params.model) ?? modelPrefix))
  const vendor = prefix ? vendors[prefix] : undefined
  if (!prefix)
    return `the provider of ${params.model} is unknown: add it before the name, such as openai/${params.model}`
  const usesApiKey = prefix === 'vertex_ai' && params.api_key
  if (unsupported[prefix] && !usesApiKey) return unsupported[prefix]
  if (!vendor) return `the protocol of LiteLLM's provider "${prefix}" is not supported`
  const modelName = params.model.startsWith(`${prefix}/`) ? params.model.slice(prefix.length + 1) : params.model
  const usesResponses = modelName.startsWith('responses/')
  // LiteLLM marks reasoning models of OpenAI at Azure with `o_series/`.
  const upstream = modelName.replace(/^(responses|o_series)\//, '')
  const server = findServer(vendor, params.api_base, catalogue)
  if (typeof server === 'string') return server
  const protocol = usesResponses ? ({ protocol: 'openai-responses' } as const) : {}
  return {
    ...server,
    ...protocol,
    upstream,
    variable: vendor.variable,
    referenceProvider: vendor.referenceProvider,
  }
}

type Server = Omit<Source, 'upstream' | 'variable' | 'referenceProvider'>

function findServer(vendor: Vendor, apiBase: string | null | undefined, catalogue: KnownCatalogue): Server | string {
  if (!apiBase) {
    const provider = catalogue.provider(vendor.slug)
    if (provider?.baseUrl) return { ...knownServer(provider), isSelfHosted: false }
    const { slug, baseUrl, protocol = 'openai-chat' } = vendor
    return baseUrl ? { slug, protocol, baseUrl, isSelfHosted: vendor.isSelfHosted === true } : 'it has no api_base'
  }
  if (/[?#]/.test(apiBase)) return 'its api_base has a query, which is not supported'
  const variable = referencedVariable(apiBase)
  const address = (variable ? `\${${variable}}` : apiBase).replace(/\/+$/, '')
  const provider = variable ? undefined : catalogue.providerAt(address)
  // The address decides: a row `openai/…` with the address of another provider belongs to that provider.
  if (provider) return { ...knownServer(provider), isSelfHosted: false }
  if (!variable && !URL.parse(address)) return `its api_base is not a URL: ${address}`
  return {
    slug:
      catalogue.provider(vendor.slug) || vendor.slug === 'openai-like' ? slugOfAddress(address, variable) : vendor.slug,
    protocol: vendor.protocol ?? 'openai-chat',
    baseUrl: addPath(address, vendor),
    isSelfHosted: vendor.isSelfHosted === true || (!variable && isPrivate(new URL(address).hostname)),
  }
}

const knownServer = (provider: Provider) => ({
  provider,
  slug: provider.slug,
  protocol: provider.protocol,
  baseUrl: provider.baseUrl ?? '',
})

/** Adds the vendor's path to an address, unless the address has it, or has the path of Azure's OpenAI API. */
function addPath(address: string, { path }: Vendor): string {
  if (!path || address.endsWith(path) || /\/openai\/v\d/.test(address)) return address
  return address + path
}

function slugOfAddress(address: string, variable: string | undefined): string {
  if (variable) return slugOf(variable.replace(/_(API_)?(BASE|URL|ENDPOINT|HOST)(_URL)?$|_API_BASE$/i, ''))
  const { hostname } = new URL(address)
  if (/^(127\.[\d.]+|\[::1\]|localhost)$/.test(hostname)) return 'local'
  return slugOf(/^[\d.]+$/.test(hostname) ? hostname : hostname.replace(/^(api|www)\./, '').split('.')[0]!)
}

/** Whether a host is in a private network. */
function isPrivate(host: string): boolean {
  return (
    !host.includes('.') ||
    /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^169\.254\./.test(host) ||
    /\.(local|internal|lan|home|localhost|svc|cluster\.local)$/.test(host)
  )
}
