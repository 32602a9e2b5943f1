import Big from 'big.js'

/**
 * The formulas of takeoffs can contain numbers, names of figures, the operators + - * / (or × ÷), parentheses, and five
 * functions. Formulas are parsed into a tree and evaluated with decimal arithmetic. They are never executed as code.
 */
export type Formula =
  | { kind: 'number'; value: Big }
  | { kind: 'name'; name: string }
  | { kind: 'negation'; of: Formula }
  | { kind: 'operation'; sign: '+' | '-' | '*' | '/'; left: Formula; right: Formula }
  | { kind: 'call'; name: FunctionName; of: Formula[] }

/** Thrown for an invalid formula. The message is a predicate, such as `uses the unknown figure roofSquares`. */
export class FormulaError extends Error {}

const FUNCTIONS = { round: 1, ceil: 1, floor: 1, min: 2, max: 2 } as const
type FunctionName = keyof typeof FUNCTIONS

/** Deeper formulas have no practical use, and would overflow the stack of the parser. */
const MAX_DEPTH = 32

const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z][A-Za-z0-9]*)|([-+*/×÷(),]))/y

/** Parses a formula. Throws FormulaError with the position of the first unexpected token. */
export function parseFormula(text: string): Formula {
  const tokens = tokenize(text)
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
    return new FormulaError(
      token === undefined
        ? 'ends before it is complete'
        : `has an unexpected "${token.text}" at character ${token.place + 1}`,
    )
  }

  function sum(): Formula {
    if (++depth > MAX_DEPTH) throw new FormulaError(`must not be nested deeper than ${MAX_DEPTH} levels`)
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
    if (++depth > MAX_DEPTH) throw new FormulaError(`must not be nested deeper than ${MAX_DEPTH} levels`)
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
      throw new FormulaError(
        `uses the unknown function ${name}; available functions: ${Object.keys(FUNCTIONS).join(', ')}`,
      )
    const of = [sum()]
    while (takes(',') !== null) of.push(sum())
    expect(')')
    const requested = FUNCTIONS[name]
    if (of.length !== requested)
      throw new FormulaError(
        `passes ${of.length} ${of.length === 1 ? 'value' : 'values'} to ${name}, which requires ${requested}`,
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

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  for (let place = 0; place < end; place = TOKEN.lastIndex) {
    TOKEN.lastIndex = place
    const match = TOKEN.exec(text)
    if (match === null) {
      const start = text.slice(place).search(/\S/) + place
      throw new FormulaError(`has an unexpected "${[...text.slice(start)][0]}" at character ${start + 1}`)
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
 * Returns the value of a formula with these figures. Throws FormulaError for an unknown figure, a division by zero, or
 * an intermediate result that is too large.
 */
export function evaluateFormula(formula: Formula, figures: ReadonlyMap<string, number>): Big {
  switch (formula.kind) {
    case 'number':
      return formula.value
    case 'name': {
      const figure = figures.get(formula.name)
      if (figure === undefined) throw new FormulaError(`uses the unknown figure ${formula.name}`)
      return new Big(figure)
    }
    case 'negation':
      return evaluateFormula(formula.of, figures).neg()
    case 'operation':
      return applyOperator(
        formula.sign,
        evaluateFormula(formula.left, figures),
        evaluateFormula(formula.right, figures),
      )
    case 'call':
      return callFunction(
        formula.name,
        formula.of.map((each) => evaluateFormula(each, figures)),
      )
  }
}

// Without these limits, a product of 250 factors with 15 decimals would have thousands of digits and take seconds.
const MAX_VALUE = new Big('1e30')
const MAX_DECIMALS = 20

function applyOperator(sign: '+' | '-' | '*' | '/', left: Big, right: Big): Big {
  if (sign === '/' && right.eq(0)) throw new FormulaError('divides by zero')
  const value = computeOperation(sign, left, right)
  if (value.abs().gt(MAX_VALUE)) throw new FormulaError('has an intermediate result above 10^30')
  return value.round(MAX_DECIMALS, Big.roundHalfUp)
}

function computeOperation(sign: '+' | '-' | '*' | '/', left: Big, right: Big): Big {
  if (sign === '+') return left.plus(right)
  if (sign === '-') return left.minus(right)
  return sign === '*' ? left.times(right) : left.div(right)
}

function callFunction(name: FunctionName, values: Big[]): Big {
  const [first = new Big(0), second = first] = values
  if (name === 'round') return first.round(0, Big.roundHalfUp)
  if (name === 'ceil') return roundUp(first)
  if (name === 'floor') return roundUp(first.neg()).neg()
  return (name === 'min') === first.lt(second) ? first : second
}

/** Returns the smallest integer that is greater than or equal to the value. */
export function roundUp(value: Big): Big {
  const whole = value.round(0, Big.roundDown)
  return whole.lt(value) ? whole.plus(1) : whole
}
