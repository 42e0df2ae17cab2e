// Values that several folders of `src` share. Types, schemas and tables are derived from these lists.

/** The provider protocols of endpoints. docs/map.md lists what to add with a new one. */
export const protocols = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini', 'demo'] as const
export type Protocol = (typeof protocols)[number]

/** The kinds of requests other than chats. Each is also the name of its request format. */
export const tasks = ['embeddings'] as const
export type Task = (typeof tasks)[number]

/** The format of requests: a provider protocol for chats, or a task. A client-only protocol must be added to this type, not to `protocols`. */
export type RequestFormat = Protocol | Task

const taskSet: ReadonlySet<string> = new Set(tasks)

/** The task of requests in a format; undefined for chats. */
export function taskOf(format: RequestFormat | undefined): Task | undefined {
  return format !== undefined && taskSet.has(format) ? (format as Task) : undefined
}

/** The data regions of endpoints and of incoming requests. */
export const regions = ['global', 'europe', 'us'] as const
export type Region = (typeof regions)[number]

/** The categories by which models are listed. */
export const categories = [
  'programming',
  'roleplay',
  'marketing',
  'marketing/seo',
  'technology',
  'science',
  'translation',
  'legal',
  'finance',
  'health',
  'trivia',
  'academia',
] as const

/** The access roles of signed-in members, the highest first. */
export const accessRoles = ['owner', 'admin', 'developer', 'viewer'] as const
export type AccessRole = (typeof accessRoles)[number]

/** The roles of a member in one workspace, the highest first. */
export const workspaceRoles = ['admin', 'developer', 'viewer'] as const
export type WorkspaceRole = (typeof workspaceRoles)[number]

/** The intervals after which a limit is reset. */
export const intervals = ['daily', 'weekly', 'monthly'] as const
export type Interval = (typeof intervals)[number]

/** The groupings of requests: by session, or by the values of one tag. */
export const groupings = ['session', 'tag'] as const

/** How OpenID Connect clients send their secret to the token endpoint. */
export const clientSecretMethods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'] as const
