/** A value that is used once. Nothing references it after it was taken, so that its memory can be freed. */
export class OneUse<Value extends object> {
  #value: Value | undefined

  constructor(value: Value) {
    this.#value = value
  }

  take(): Value {
    const value = this.#value
    if (!value) throw new Error('the value was taken before')
    this.#value = undefined
    return value
  }
}
