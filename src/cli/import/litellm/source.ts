import type { Provider } from '#catalogue/index/model.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Row } from './config.ts'
import type { Known } from './known.ts'
import { environmentName, slugOf } from './names.ts'
import { unsupported, type Vendor, vendorOfBareModel, vendors } from './vendors.ts'

/** The server and the model name for a row. */
export type Source = {
  /** Of our catalogue; absent where it has no such provider. */
  provider?: Provider
  /** The slug to take where it has none. */
  slug: string
  protocol: Protocol
  baseUrl: string
  /** Whether nobody bills the model: a program of one's own, or an address in one's own network. */
  own: boolean
  /** The server's name for the model. */
  upstream: string
  /** The provider of our catalogue whose models these are, where it is asked at another address. */
  like?: string
  /** The variable of the key where the row names none. */
  variable?: string
}

/** @returns why a row cannot be taken, in words. */
export function sourceOf({ litellm_params: params }: Row, known: Known): Source | string {
  const slash = params.model.indexOf('/')
  const before = slash > 0 ? params.model.slice(0, slash) : undefined
  const name = params.custom_llm_provider ?? (before && before in vendors ? before : undefined)
  const prefix = name ?? (before && !params.api_base ? before : (vendorOfBareModel(params.model) ?? before))
  const vendor = prefix ? vendors[prefix] : undefined
  if (!prefix)
    return `nobody knows by its name whose model ${params.model} is: write openai/${params.model}, or the like`
  const withKey = prefix === 'vertex_ai' && params.api_key
  if (unsupported[prefix] && !withKey) return unsupported[prefix]
  if (!vendor) return `the protocol of LiteLLM's provider "${prefix}" is not spoken here`
  const rest = params.model.startsWith(`${prefix}/`) ? params.model.slice(prefix.length + 1) : params.model
  const answers = rest.startsWith('responses/')
  // A mark of LiteLLM's for models of OpenAI that reason, at Azure.
  const upstream = rest.replace(/^(responses|o_series)\//, '')
  const place = placeOf(vendor, params.api_base, known)
  if (typeof place === 'string') return place
  const asked = answers ? ({ protocol: 'openai-responses' } as const) : {}
  return {
    ...place,
    ...asked,
    upstream,
    ...(vendor.variable && { variable: vendor.variable }),
    ...(vendor.like && { like: vendor.like }),
  }
}

type SourcePlace = Omit<Source, 'upstream' | 'variable' | 'like'>

function placeOf(vendor: Vendor, base: string | null | undefined, known: Known): SourcePlace | string {
  if (!base) {
    const provider = known.provider(vendor.slug)
    if (provider?.baseUrl) return { ...whole(provider), own: false }
    const { slug, baseUrl, protocol = 'openai-chat' } = vendor
    return baseUrl ? { slug, protocol, baseUrl, own: vendor.own === true } : 'its api_base is not said'
  }
  if (/[?#]/.test(base)) return 'its api_base has a query, and operations are put behind it'
  const variable = environmentName(base)
  const address = (variable ? `\${${variable}}` : base).replace(/\/+$/, '')
  const provider = variable ? undefined : known.providerAt(address)
  // A row of openai/… at the address of another is of that other.
  if (provider) return { ...whole(provider), own: false }
  if (!variable && !URL.parse(address)) return `its api_base is not a URL: ${address}`
  return {
    slug: known.provider(vendor.slug) || vendor.slug === 'openai-like' ? slugAt(address, variable) : vendor.slug,
    protocol: vendor.protocol ?? 'openai-chat',
    baseUrl: withPath(address, vendor),
    own: vendor.own === true || (!variable && isPrivate(new URL(address).hostname)),
  }
}

const whole = (provider: Provider) => ({
  provider,
  slug: provider.slug,
  protocol: provider.protocol,
  baseUrl: provider.baseUrl ?? '',
})

function withPath(address: string, { path }: Vendor): string {
  if (!path || address.endsWith(path) || /\/openai\/v\d/.test(address)) return address
  return address + path
}

function slugAt(address: string, variable: string | undefined): string {
  if (variable) return slugOf(variable.replace(/_(API_)?(BASE|URL|ENDPOINT|HOST)(_URL)?$|_API_BASE$/i, ''))
  const { hostname } = new URL(address)
  if (/^(127\.[\d.]+|\[::1\]|localhost)$/.test(hostname)) return 'local'
  return slugOf(/^[\d.]+$/.test(hostname) ? hostname : hostname.replace(/^(api|www)\./, '').split('.')[0]!)
}

/** Addresses that nobody outside can have. */
function isPrivate(host: string): boolean {
  return (
    !host.includes('.') ||
    /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^169\.254\./.test(host) ||
    /\.(local|internal|lan|home|localhost|svc|cluster\.local)$/.test(host)
  )
}
