/** Returns an own property. Use it for names from untrusted input, because every object inherits names such as `constructor`. */
export function ownValue<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
}
