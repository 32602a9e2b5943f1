/** Iterates over the contract, for the rules and other code that reads all of it. */

export const METHODS = ['get', 'put', 'post', 'patch', 'delete']

export function* operations(document) {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation) continue
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
        resolve(document, parameter),
      )
      yield { path, method, operation, parameters, at: ['paths', path, method] }
    }
  }
}

/** Yields every body under `paths`, with the key path of its media type. */
export function* bodies(document) {
  for (const { operation, at } of operations(document)) {
    for (const [type, media] of Object.entries(resolve(document, operation.requestBody)?.content ?? {})) {
      yield { media, at: [...at, 'requestBody', 'content', type] }
    }
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      for (const [type, media] of Object.entries(resolve(document, reference)?.content ?? {})) {
        const home = reference.$ref ? keysOf(reference.$ref) : [...at, 'responses', status]
        yield { media, at: [...home, 'content', type] }
      }
    }
  }
}

export function resolve(document, node) {
  if (!node?.$ref) return node
  return resolve(
    document,
    keysOf(node.$ref).reduce((place, key) => place?.[key], document),
  )
}

export function keysOf(reference) {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}
