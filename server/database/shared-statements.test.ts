import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTestDatabase } from '../../test/support/plumbline.ts'
import type { Database } from './database.ts'

let database: Database

beforeAll(async () => {
  database = await newTestDatabase()
})

afterAll(() => database.close())

test('each of more shapes of questions than are remembered is answered by itself, however many come at once', async () => {
  const shapes = Array.from({ length: 2500 }, (_, shape) => shape)
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(
      shapes.map(async (shape) => {
        const text = `select $1::int + ${shape} as "sum", 'shape ${shape}' as "name"`
        return (await database.statements.executeQuery(CompiledQuery.raw(text, [round]))).rows[0]
      }),
    )
    expect(answers).toEqual(shapes.map((shape) => ({ sum: round + shape, name: `shape ${shape}` })))
  }
})
