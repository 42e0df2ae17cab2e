import * as zod from 'zod'
import { issueMessage } from './issue-messages.ts'

export type * from 'zod'

zod.config({ customError: (issue) => issueMessage(issue, zod.util.parsedType) })

/** One call in the declaration of a schema: a function of Zod, or the name of a method of `receiver`. */
type Declaration = {
  /** The schema before the call in the chain. Undefined for a function of Zod. */
  receiver: LazySchema | undefined
  callee: string | ((...args: unknown[]) => unknown)
  args: unknown[]
}

/** A declared schema. It is built when any other member than those of this class is read. */
class LazySchema {
  readonly #declaration: Declaration
  #built: zod.ZodType | undefined

  constructor(declaration: Declaration) {
    this.#declaration = declaration
  }

  static build(schema: LazySchema): zod.ZodType {
    schema.#built ??= call(schema.#declaration)
    return schema.#built
  }

  get _zod() {
    return LazySchema.build(this)._zod
  }

  safeParse(...args: Parameters<zod.ZodType['safeParse']>) {
    return LazySchema.build(this).safeParse(...args)
  }

  /** The value of a final `default`, ignoring descriptions. */
  static defaultOf(schema: LazySchema): unknown {
    const { receiver, callee, args } = schema.#declaration
    if (callee === 'default') return args[0]
    return callee === 'describe' || callee === 'meta' ? LazySchema.defaultOf(receiver!) : undefined
  }

  /** The fields of an object, without building it, because other objects reuse them while modules load. */
  get shape(): Shape {
    const { receiver, callee, args } = this.#declaration
    if (typeof callee === 'function') return args[0] as Shape
    if (callee === 'extend') return { ...receiver!.shape, ...(args[0] as Shape) }
    if (callee === 'partial' && args.length === 0) return withOptionalFields(receiver!.shape)
    return shapePreservingMethods.has(callee)
      ? receiver!.shape
      : ((LazySchema.build(this) as zod.ZodObject).shape as Shape)
  }
}

type Shape = Record<string, zod.ZodType>

const withOptionalFields = (shape: Shape) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.optional()]))

/** Methods of an object schema whose result has the same fields. */
const shapePreservingMethods: ReadonlySet<string> = new Set(['describe', 'meta', 'refine', 'superRefine'])

/** Methods that only record the call. */
const recordedMethods = [
  'array catch check default describe exactOptional extend gt gte includes int length lt lte max meta min multipleOf',
  'negative nonempty nonnegative nonoptional nullable nullish omit optional or overwrite partial pick pipe positive',
  'prefault readonly refine regex startsWith strict superRefine toLowerCase toUpperCase transform trim',
].flatMap((names) => names.split(' '))

/** Members that build the schema. */
const buildingMembers = [
  '_def ~standard and apply base64 base64url brand catchall cidrv4 cidrv6 clone cuid cuid2 date datetime decode decodeAsync def',
  'description duration e164 element email emoji encode encodeAsync endsWith enum exactPartial exclude extract finite',
  'format guid in ipv4 ipv6 isFinite isInt isNullable isOptional jwt keyof keyType ksuid loose lowercase maxLength maxValue',
  'merge minLength minValue nanoid nonpositive normalize options out parse parseAsync passthrough register removeDefault',
  'required safe safeDecode safeDecodeAsync safeEncode safeEncodeAsync safeExtend safeParseAsync slugify spa step strip',
  'time toJSONSchema type ulid unwrap uppercase url uuid uuidv4 uuidv6 uuidv7 validate validateAsync value values valueType',
  'with xid',
].flatMap((names) => names.split(' '))

for (const callee of recordedMethods)
  Object.defineProperty(LazySchema.prototype, callee, {
    value(this: LazySchema, ...args: unknown[]) {
      return new LazySchema({ receiver: this, callee, args })
    },
  })

for (const name of buildingMembers)
  Object.defineProperty(LazySchema.prototype, name, {
    get(this: LazySchema) {
      const built = LazySchema.build(this)
      const member: unknown = Reflect.get(built, name)
      return typeof member === 'function' ? member.bind(built) : member
    },
  })

function call({ receiver, callee, args }: Declaration): zod.ZodType {
  const builtArgs = args.map(buildSchemasIn)
  if (typeof callee === 'function') return callee(...builtArgs) as zod.ZodType
  const schema = LazySchema.build(receiver!) as unknown as Record<string, (...args: unknown[]) => zod.ZodType>
  return schema[callee]!(...builtArgs)
}

/** The default of a schema whose last call is `default`, without building it. */
export const defaultOf = (schema: zod.ZodType) => LazySchema.defaultOf(schema as unknown as LazySchema)

const isLazy = (value: unknown) => value instanceof LazySchema

/** Replaces declared schemas by built ones, also in arrays and objects. */
function buildSchemasIn(value: unknown): unknown {
  if (value instanceof LazySchema) return LazySchema.build(value)
  if (Array.isArray(value)) return value.some(isLazy) ? value.map(buildSchemasIn) : value
  if (typeof value !== 'object' || value === null || !Object.values(value).some(isLazy)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, buildSchemasIn(member)]))
}

// biome-ignore lint/suspicious/noExplicitAny: any function of Zod
const lazy = <Make extends (...args: any[]) => unknown>(callee: Make) =>
  ((...args: unknown[]) => new LazySchema({ receiver: undefined, callee, args })) as unknown as Make

export const array = lazy(zod.array)
export const boolean = lazy(zod.boolean)
export const coerce = { number: lazy(zod.coerce.number) }
export const discriminatedUnion = lazy(zod.discriminatedUnion)
export const email = lazy(zod.email)
const enumOf = lazy(zod.enum)
export const int = lazy(zod.int)
export const literal = lazy(zod.literal)
export const looseObject = lazy(zod.looseObject)
const nullOf = lazy(zod.null)
export const number = lazy(zod.number)
export const object = lazy(zod.object)
export const partialRecord = lazy(zod.partialRecord)
export const preprocess = lazy(zod.preprocess)
export const record = lazy(zod.record)
export const strictObject = lazy(zod.strictObject)
export const string = lazy(zod.string)
export const stringbool = lazy(zod.stringbool)
export const union = lazy(zod.union)
export const unknown = lazy(zod.unknown)
export const url = lazy(zod.url)
export const uuid = lazy(zod.uuid)
export const iso = { date: lazy(zod.iso.date), datetime: lazy(zod.iso.datetime) }
export { enumOf as enum, nullOf as null }

export const toJSONSchema = ((schema: unknown, params?: object) =>
  zod.toJSONSchema(buildSchemasIn(schema) as zod.ZodType, params)) as typeof zod.toJSONSchema

export const { NEVER, prettifyError, regexes } = zod
