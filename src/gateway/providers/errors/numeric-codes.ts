/** The HTTP statuses that the error codes of Zhipu (Z.AI) stand for. Its codes are numbers as text. */
export const zhipuStatuses = new Map<unknown, number>([
  ...['1000', '1001', '1002', '1003', '1004'].map((code): [string, number] => [code, 401]),
  ...['1113', '1309'].map((code): [string, number] => [code, 402]),
  ...['1110', '1111', '1112', '1220'].map((code): [string, number] => [code, 403]),
  ['1211', 404],
  ...['1210', '1213', '1214', '1261', '1301'].map((code): [string, number] => [code, 400]),
  ...['1302', '1303', '1304', '1305', '1308', '1310', '1312'].map((code): [string, number] => [code, 429]),
])

/** Zhipu's error codes for a request or a response that its content policy refuses. */
export const zhipuFilterCodes: ReadonlySet<string> = new Set(['1301'])

/** The HTTP statuses that MiniMax's codes stand for. It sends errors in `base_resp`, with the status 200. */
export const miniMaxStatuses = new Map<unknown, number>([
  [1001, 504],
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [1041, 429],
  [2013, 400],
  [2045, 429],
  [2056, 429],
  [2049, 401],
])

/** MiniMax's codes for a prompt and for a response that its content policy refuses. */
export const miniMaxFilterCodes: ReadonlySet<unknown> = new Set([1026, 1027])
