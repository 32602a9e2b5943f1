/** Functions that iterate over the contract, for rules and other code that needs all of it. */

export const METHODS = ['get', 'put', 'post', 'patch', 'delete']

export function* listOperations(document) {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation) continue
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
        resolveReference(document, parameter),
      )
      yield { path, method, operation, parameters, at: ['paths', path, method] }
    }
  }
}

/** Yields every body under `paths`, with the keys that lead to its media type. */
export function* listBodies(document) {
  for (const { operation, at } of listOperations(document)) {
    for (const [type, media] of Object.entries(resolveReference(document, operation.requestBody)?.content ?? {})) {
      yield { media, at: [...at, 'requestBody', 'content', type] }
    }
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      for (const [type, media] of Object.entries(resolveReference(document, reference)?.content ?? {})) {
        const home = reference.$ref ? parseReferenceKeys(reference.$ref) : [...at, 'responses', status]
        yield { media, at: [...home, 'content', type] }
      }
    }
  }
}

export function resolveReference(document, node) {
  if (!node?.$ref) return node
  return resolveReference(
    document,
    parseReferenceKeys(node.$ref).reduce((place, key) => place?.[key], document),
  )
}

export function parseReferenceKeys(reference) {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}
