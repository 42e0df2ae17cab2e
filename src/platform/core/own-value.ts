/** The value of a name that may come from anybody: every object also has a `constructor`. */
export function ownValue<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
}
