import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll } from 'vitest'
import { takeSeenAnswers } from './seen-in-process.ts'

/** Notes after every test file what it has seen; when the whole suite has run, seen-answers.ts compares that with the contract. */
afterAll(() => {
  const folder = process.env.SEEN_ANSWERS
  if (folder !== undefined)
    appendFileSync(path.join(folder, `${process.pid}.txt`), [...takeSeenAnswers(), ''].join('\n'))
})
