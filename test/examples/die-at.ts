/**
 * Kills a program in which it is preloaded. The program dies at its nth request, before the request is sent or when the
 * response arrives.
 */
const [when = '', count = ''] = (process.env.DIE_AT ?? '').split(':')
const { fetch: send } = globalThis
let requests = 0
globalThis.fetch = async (...provided: Parameters<typeof fetch>) => {
  requests++
  const isHere = requests === Number(count)
  if (isHere && when === 'before') process.kill(process.pid, 'SIGKILL')
  const response = await send(...provided)
  if (isHere && when === 'after') process.kill(process.pid, 'SIGKILL')
  return response
}
