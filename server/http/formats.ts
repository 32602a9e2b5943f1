/**
 * The contract's own formats. Decimals are counted in the number as JSON writes it, because arithmetic on binary floats
 * (`multipleOf: 0.01`) misjudges numbers such as 1.15.
 */
export const formats = {
  money: decimals(2),
  'unit-price': decimals(4),
  quantity: decimals(4),
}

/** What each format of the contract wants, said to somebody whose value has another one. */
export const formatWords: Readonly<Record<string, string>> = {
  date: 'must be a date like 2026-03-31',
  'date-time': 'must be an instant like 2026-03-31T14:30:00Z',
  email: 'must be an e-mail address like estimating@brazosframing.example.com',
  uri: 'must be an address like https://hooks.example.com/plumbline',
  money: 'must be an amount with at most two decimals, like 1250.50',
  'unit-price': 'must be a price with at most four decimals, like 3.1275',
  quantity: 'must be a quantity with at most four decimals, like 12.5',
}

/** What each pattern of the contract wants. A pattern without words here fails the suite. */
export const patternWords: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  '^(?!0000)': 'must not be in the year 0000, which no calendar has',
  '^[A-Z]{2}$': 'must be two capital letters, like US',
  '^[A-Za-z0-9_-]+$': 'must consist of letters, digits, - and _ only',
  '^[Hh][Tt][Tt][Pp][Ss]?://': 'must begin with https:// or http://',
  '^(whsec_([A-Za-z0-9+/]{4}){4,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?!whsec_)[\\s\\S]*)$':
    'must have at least 16 characters of padded base64 after whsec_, or not begin with whsec_',
}

function decimals(most: number): { type: 'number'; validate(value: number): boolean } {
  const pattern = new RegExp(`^-?\\d+(\\.\\d{1,${most}})?$`)
  return { type: 'number', validate: (value) => pattern.test(String(value)) }
}
