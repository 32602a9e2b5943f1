/** Loaded before a program: kills it hard at its n-th request, before it is sent or when its answer is there. */
const [when = '', count = ''] = (process.env.DIE_AT ?? '').split(':')
const { fetch: send } = globalThis
let requests = 0
globalThis.fetch = async (...given: Parameters<typeof fetch>) => {
  requests++
  const isHere = requests === Number(count)
  if (isHere && when === 'before') process.kill(process.pid, 'SIGKILL')
  const response = await send(...given)
  if (isHere && when === 'after') process.kill(process.pid, 'SIGKILL')
  return response
}
