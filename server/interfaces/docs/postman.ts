import { STATUS_CODES } from 'node:http'
import type { Contract, Operation } from '../../platform/calls/contract.ts'
import type { Site } from './page/page.ts'
import { type Atlas, answerOf, atlasOf } from './reference/atlas.ts'
import { parametersOf } from './reference/operation.ts'
import { exampleRequest } from './reference/samples.ts'

/**
 * Returns the contract as a Postman collection, which many other clients import too (Collection v2.1.0,
 * https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html): a folder for each tag, and each
 * operation with its example request and responses. The URL and the credentials are variables of the collection.
 */
export function postmanCollection(site: Site, contract: Contract): object {
  const atlas = atlasOf(contract)
  return {
    info: {
      name: site.title,
      version: site.version,
      description: contract.document.info.description ?? '',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('key'),
    variable: [
      { key: 'baseUrl', value: site.url },
      { key: 'key', value: '', description: 'An API key, plb_…' },
      { key: 'portalToken', value: '', description: 'The last part of a portal link' },
    ],
    item: atlas.groups.map(({ name, rooms }) => ({
      name,
      item: rooms.map(({ tag, description, operations }) => ({
        ...{ name: tag, description },
        item: operations.map((operation) => itemOf(atlas, operation)),
      })),
    })),
  }
}

function bearer(variable: string): object {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }] }
}

function itemOf({ contract }: Atlas, operation: Operation): object {
  const { id, method, declaration, schemes } = operation
  const { body } = exampleRequest(contract, operation)
  const answer = answerOf(contract, operation)
  const json = [{ key: 'Content-Type', value: 'application/json' }]
  return {
    name: declaration.summary ?? id,
    request: {
      ...{ method, url: urlOf(contract, operation), header: body === undefined ? [] : json },
      ...(!schemes.has('apiKey') && { auth: bearer('portalToken') }),
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      description: `${id}. ${declaration.description ?? ''}`,
    },
    response: Object.entries(answer?.examples ?? {}).map(([name, { summary = name, value }]) => ({
      ...{ name: summary, code: Number(answer?.status), status: STATUS_CODES[Number(answer?.status)] ?? '' },
      header: [{ key: 'Content-Type', value: answer?.type ?? '' }],
      body: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    })),
  }
}

/** Query parameters that the example omits are included but disabled. */
function urlOf(contract: Contract, operation: Operation): object {
  const { path: inPath, query: shown } = exampleRequest(contract, operation)
  const path = operation.path.slice(1).split('/')
  const steps = path.map((step) => step.replace(/^\{(\w+)\}$/, ':$1'))
  const parameters = parametersOf(contract, operation)
  const query = parameters.flatMap(({ name, in: where, description = '' }) =>
    where !== 'query' ? [] : [{ key: name, value: String(shown[name] ?? ''), description, disabled: !(name in shown) }],
  )
  const search = new URLSearchParams(
    Object.entries(shown).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return {
    raw: `{{baseUrl}}/${steps.join('/')}${search.size > 0 ? `?${search}` : ''}`,
    ...{ host: ['{{baseUrl}}'], path: steps, query },
    variable: parameters.flatMap(({ name, in: where, description = '' }) =>
      where === 'path' ? [{ key: name, value: inPath[name] ?? '', description }] : [],
    ),
  }
}
