import { STATUS_CODES } from 'node:http'
import type { Contract, Operation } from '../../platform/calls/contract.ts'
import type { Site } from './page/page.ts'
import { findExampleRequest } from './reference/code-samples.ts'
import { listParameters } from './reference/operation-section.ts'
import { findSuccessResponse, getReferenceIndex, type ReferenceIndex } from './reference/reference-index.ts'

/**
 * Converts the contract to a Postman collection, which many other clients can also import (Collection v2.1.0,
 * https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html). The collection has a folder for each
 * tag, and an example request with responses for each operation. The URL and the credentials are variables of the
 * collection.
 */
export function buildPostmanCollection(site: Site, contract: Contract): object {
  const index = getReferenceIndex(contract)
  return {
    info: {
      name: site.title,
      version: site.version,
      description: contract.document.info.description ?? '',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearerAuth('key'),
    variable: [
      { key: 'baseUrl', value: site.url },
      { key: 'key', value: '', description: 'API key, plb_…' },
      { key: 'portalToken', value: '', description: 'Last part of a portal link' },
    ],
    item: index.groups.map(({ name, rooms }) => ({
      name,
      item: rooms.map(({ tag, description, operations }) => ({
        ...{ name: tag, description },
        item: operations.map((operation) => toCollectionItem(index, operation)),
      })),
    })),
  }
}

function bearerAuth(variable: string): object {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }] }
}

function toCollectionItem({ contract }: ReferenceIndex, operation: Operation): object {
  const { id, method, declaration, schemes } = operation
  const { body } = findExampleRequest(contract, operation)
  const response = findSuccessResponse(contract, operation)
  const json = [{ key: 'Content-Type', value: 'application/json' }]
  return {
    name: declaration.summary ?? id,
    request: {
      ...{ method, url: toCollectionUrl(contract, operation), header: body === undefined ? [] : json },
      ...(!schemes.has('apiKey') && { auth: bearerAuth('portalToken') }),
      ...(body !== undefined && {
        body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
      }),
      description: `${id}. ${declaration.description ?? ''}`,
    },
    response: Object.entries(response?.examples ?? {}).map(([name, { summary = name, value }]) => ({
      ...{ name: summary, code: Number(response?.status), status: STATUS_CODES[Number(response?.status)] ?? '' },
      header: [{ key: 'Content-Type', value: response?.type ?? '' }],
      body: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    })),
  }
}

/** Parameters that the example leaves out are included but disabled. */
function toCollectionUrl(contract: Contract, operation: Operation): object {
  const { path: inPath, query: shown } = findExampleRequest(contract, operation)
  const path = operation.path.slice(1).split('/')
  const steps = path.map((step) => step.replace(/^\{(\w+)\}$/, ':$1'))
  const parameters = listParameters(contract, operation)
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
