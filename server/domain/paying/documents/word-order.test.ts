import { expect, test } from 'vitest'
import { layOutWords } from './word-order.ts'

const order = (text: string, width = 1000) => layOutWords(text, width, (line) => line.length)

test.each([
  ['an Arabic text is ordered from right to left', 'شركة البناء العربية', 'العربية البناء شركة'],
  ['European words within an Arabic text keep their order', 'شركة Smith and Sons البناء', 'البناء Smith and Sons شركة'],
  ['a number in an Arabic text takes its place', 'البناء 12 شركة', 'شركة 12 البناء'],
  [
    'Arabic words within a European text are ordered among themselves',
    'Pay شركة البناء today',
    'Pay البناء شركة today',
  ],
  ['each paragraph has its own order', 'شركة البناء\nPay today', 'البناء شركة\nPay today'],
])('%s', (_name, text, expected) => {
  expect(order(text)).toBe(expected)
})

test('Arabic text is broken into lines before its words are ordered', () => {
  expect(order('شركة البناء العربية', 12)).toBe('البناء شركة\nالعربية')
})
