import Big from 'big.js'

/**
 * The formulas of a takeoff: numbers, names of figures, + - * / (or × ÷), parentheses, and five functions. They are
 * parsed into a tree and evaluated with decimals; nothing in them is ever executed as code.
 */
export type Formula =
  | { kind: 'number'; value: Big }
  | { kind: 'name'; name: string }
  | { kind: 'negation'; of: Formula }
  | { kind: 'operation'; sign: '+' | '-' | '*' | '/'; left: Formula; right: Formula }
  | { kind: 'call'; name: FunctionName; of: Formula[] }

/** An invalid formula. The message is a predicate, such as `uses the unknown figure roofSquares`. */
export class FormulaFault extends Error {}

const FUNCTIONS = { round: 1, ceil: 1, floor: 1, min: 2, max: 2 } as const
type FunctionName = keyof typeof FUNCTIONS

/** Deeper formulas are of no use, and parsing them would overflow the stack. */
const MOST_DEPTH = 32

const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z][A-Za-z0-9]*)|([-+*/×÷(),]))/y

/** Parses a formula. Throws FormulaFault with the position of the first unexpected token. */
export function parseFormula(text: string): Formula {
  const tokens = tokensOf(text)
  let at = 0
  let depth = 0

  const peek = () => tokens[at]
  const takes = (...signs: string[]) => {
    const token = peek()
    if (token?.kind !== 'sign' || !signs.includes(token.text)) return null
    at++
    return token.text
  }
  const expect = (sign: string) => {
    if (takes(sign) === null) throw unexpected()
  }
  const unexpected = () => {
    const token = peek()
    return new FormulaFault(
      token === undefined
        ? 'ends before it is complete'
        : `has an unexpected "${token.text}" at character ${token.place + 1}`,
    )
  }

  function sum(): Formula {
    if (++depth > MOST_DEPTH) throw new FormulaFault(`must not be nested deeper than ${MOST_DEPTH} levels`)
    let left = product()
    for (let sign = takes('+', '-'); sign !== null; sign = takes('+', '-'))
      left = { kind: 'operation', sign: sign === '+' ? '+' : '-', left, right: product() }
    depth--
    return left
  }

  function product(): Formula {
    let left = factor()
    for (let sign = takes('*', '/', '×', '÷'); sign !== null; sign = takes('*', '/', '×', '÷'))
      left = { kind: 'operation', sign: sign === '*' || sign === '×' ? '*' : '/', left, right: factor() }
    return left
  }

  function factor(): Formula {
    if (++depth > MOST_DEPTH) throw new FormulaFault(`must not be nested deeper than ${MOST_DEPTH} levels`)
    const read = primary()
    depth--
    return read
  }

  function primary(): Formula {
    if (takes('-') !== null) return { kind: 'negation', of: factor() }
    if (takes('(') !== null) {
      const inner = sum()
      expect(')')
      return inner
    }
    const token = peek()
    if (token?.kind === 'number') {
      at++
      return { kind: 'number', value: new Big(token.text) }
    }
    if (token?.kind !== 'name') throw unexpected()
    at++
    if (takes('(') === null) return { kind: 'name', name: token.text }
    return call(token.text)
  }

  function call(name: string): Formula {
    if (!isFunction(name))
      throw new FormulaFault(
        `uses the unknown function ${name}; available functions: ${Object.keys(FUNCTIONS).join(', ')}`,
      )
    const of = [sum()]
    while (takes(',') !== null) of.push(sum())
    expect(')')
    const wanted = FUNCTIONS[name]
    if (of.length !== wanted)
      throw new FormulaFault(
        `passes ${of.length} ${of.length === 1 ? 'value' : 'values'} to ${name}, which requires ${wanted}`,
      )
    return { kind: 'call', name, of }
  }

  const formula = sum()
  if (at < tokens.length) throw unexpected()
  return formula
}

interface Token {
  kind: 'number' | 'name' | 'sign'
  text: string
  place: number
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  for (let place = 0; place < end; place = TOKEN.lastIndex) {
    TOKEN.lastIndex = place
    const match = TOKEN.exec(text)
    if (match === null) {
      const start = text.slice(place).search(/\S/) + place
      throw new FormulaFault(`has an unexpected "${[...text.slice(start)][0]}" at character ${start + 1}`)
    }
    const [whole, number, name, sign] = match
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign'
    const token = number ?? name ?? sign ?? ''
    tokens.push({ kind, text: token, place: place + whole.length - token.length })
  }
  return tokens
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name)
}

/**
 * Returns the value of a formula for these figures. Throws FormulaFault for an unknown figure, a division by zero, or
 * an intermediate result that is too large.
 */
export function reckon(formula: Formula, figures: ReadonlyMap<string, number>): Big {
  switch (formula.kind) {
    case 'number':
      return formula.value
    case 'name': {
      const figure = figures.get(formula.name)
      if (figure === undefined) throw new FormulaFault(`uses the unknown figure ${formula.name}`)
      return new Big(figure)
    }
    case 'negation':
      return reckon(formula.of, figures).neg()
    case 'operation':
      return operated(formula.sign, reckon(formula.left, figures), reckon(formula.right, figures))
    case 'call':
      return called(
        formula.name,
        formula.of.map((each) => reckon(each, figures)),
      )
  }
}

// Without these limits, a product of 250 factors with 15 decimals would have thousands of digits and take seconds.
const LARGEST = new Big('1e30')
const MOST_DECIMALS = 20

function operated(sign: '+' | '-' | '*' | '/', left: Big, right: Big): Big {
  if (sign === '/' && right.eq(0)) throw new FormulaFault('divides by zero')
  const value = computed(sign, left, right)
  if (value.abs().gt(LARGEST)) throw new FormulaFault('has an intermediate result above 10^30')
  return value.round(MOST_DECIMALS, Big.roundHalfUp)
}

function computed(sign: '+' | '-' | '*' | '/', left: Big, right: Big): Big {
  if (sign === '+') return left.plus(right)
  if (sign === '-') return left.minus(right)
  return sign === '*' ? left.times(right) : left.div(right)
}

function called(name: FunctionName, values: Big[]): Big {
  const [first = new Big(0), second = first] = values
  if (name === 'round') return first.round(0, Big.roundHalfUp)
  if (name === 'ceil') return ceiling(first)
  if (name === 'floor') return ceiling(first.neg()).neg()
  return (name === 'min') === first.lt(second) ? first : second
}

/** Returns the smallest integer that is not less than the value. */
export function ceiling(value: Big): Big {
  const whole = value.round(0, Big.roundDown)
  return whole.lt(value) ? whole.plus(1) : whole
}
