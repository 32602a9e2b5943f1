import { request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import type { World } from '../../scripts/conformance/world.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import type { PopulatedPlumbline } from '../support/populated-plumbline.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/** Tests the responses to unknown paths and methods, and to HEAD for a path with GET. */
const operationsByPath = Map.groupBy(contract.operations.values(), ({ path }) => path)
const gets = [...contract.operations.values()].filter(({ method }) => method === 'GET')

let plumbline: TestPlumbline
let world: World

export function testPaths(populated: () => PopulatedPlumbline): void {
  describe('paths and methods', () => {
    beforeAll(() => {
      ;({ plumbline, world } = populated())
    })

    describe.skipIf(!isTestedHere())('the error for an unknown method of a path lists the allowed methods', () => {
      test.each([...operationsByPath])(
        'the error for an unknown method of %s lists the allowed methods',
        async (path, operations) => {
          const declared = operations.map(({ method }): string => method)
          const allowed = declared.includes('GET') ? [...declared, 'HEAD'] : declared
          for (const method of [
            'GET',
            'HEAD',
            'POST',
            'PUT',
            'PATCH',
            'DELETE',
            'OPTIONS',
            'TRACE',
            'PROPFIND',
            'QUERY',
          ]) {
            if (allowed.includes(method)) continue
            const response = await sendRequest(method, path.replaceAll(/\{\w+\}/g, 'x'))
            expect([method, response.status]).toEqual([method, 405])
            expect(response.allow?.split(', ').sort()).toEqual([...allowed].sort())
            if (method !== 'HEAD')
              expect(JSON.parse(response.body)).toMatchObject({ status: 405, code: 'method_not_allowed' })
          }
        },
      )
    })

    test.skipIf(!isTestedHere())(
      'a path that is not in the contract returns unknown_path, even if it resembles another path',
      async () => {
        const known = [...operationsByPath.keys()].filter((path) => !path.includes('{'))
        const strange = known.flatMap((path) => [
          `${path}/`,
          path.toUpperCase(),
          `/${path}`,
          path.replace('/ext/', '//ext/'),
          `${path}/x/y/z/w`,
          `${path};a=1`,
          `${path}%2F`,
        ])
        for (const target of [
          ...strange,
          '/api/ext',
          '/api/ext/',
          '/api',
          '/api/ext/nothing',
          '/api/ext/__proto__',
          '/api/ext/constructor',
          '/api/ext/..',
          '/api/ext/%',
        ]) {
          const response = await sendRequest('GET', target)
          // A path with a parameter in that position treats the rest as an ID, and authenticates first.
          const match = contract.match('GET', target)
          if (match.operation !== null) continue
          const [status, code] = match.allow.length > 0 ? [405, 'method_not_allowed'] : [404, 'unknown_path']
          expect([target, response.status, JSON.parse(response.body).code]).toEqual([target, status, code])
        }
      },
    )

    describe('HEAD responds like GET, without the body', () => {
      test.each(gets)('$id responds to HEAD as to GET, without the body', async (operation) => {
        const address = world.addressFor(operation)
        const key = world.credentialFor(operation, address)
        const get = await sendRequest('GET', address, key)
        const head = await sendRequest('HEAD', address, key)
        expect([head.status, head.type]).toEqual([get.status, get.type])
        // Compares the ETags only if the operation declares 304. Other responses, such as usage, change whenever they
        // are read.
        if ('304' in operation.declaration.responses) expect(head.etag).toBe(get.etag)
        expect(head.status).toBe(200)
        expect(head.body).toBe('')
      })
    })
  })
}

interface PlainAnswer {
  status: number
  allow: string | undefined
  etag: string | undefined
  type: string | undefined
  body: string
}

// Sends the target as it is. A URL object would normalize the path.
function sendRequest(method: string, target: string, key?: string): Promise<PlainAnswer> {
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(plumbline.url)
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const sent = request({ hostname, port, method, path: target, headers }, (res) => {
      let body = ''
      res.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      res.on('end', () => {
        done({
          status: res.statusCode ?? 0,
          allow: res.headers.allow,
          etag: res.headers.etag,
          type: res.headers['content-type'],
          body,
        })
      })
    })
    sent.on('error', fail)
    sent.end()
  })
}
