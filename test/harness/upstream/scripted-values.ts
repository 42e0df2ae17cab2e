/** Values that the scripted and recorded responses of several protocols share. */

/** The usage of each scripted response. */
export const usage = { in: 12, out: 7 }

let count = 0
export const newId = (prefix: string) => `${prefix}_${++count}`

/** The usage and the texts of the recorded responses. */
export const tokens = { prompt: 19, completion: 10, cached: 8, cacheWritten: 0, reasoning: 4 }
export const greeting = { text: 'Grüß Gott 🚂' }
export const rome = 'weather {"city":"Rome"}'
export const oslo = 'weather {"city":"Oslo"}'
export const calls = [`call_A ${rome}`, `call_B ${oslo}`]
