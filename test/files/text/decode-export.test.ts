import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextDecoder, decodeExport, encodeText } from '../../../src/files/text/index.ts'
import { encodeAs } from '../../helpers/encode-as.ts'
import { runs } from '../../helpers/every-case.ts'

function table(names: string): string {
  const rows = names.split(', ').map((name, index) => `${index},+12025550${100 + index},${name}\n`)
  return `id,phone,name\n${rows.join('')}`
}

async function readNames(bytes: Buffer, encoding?: string) {
  const read = await decodeExport(bytes, { encoding })
  if ('error' in read) throw new Error(read.error.message)
  const rows = read.utf8.toString().trim().split('\n').slice(1)
  return { ...read, doubt: read.doubt, names: rows.map(row => row.split(',')[2]).join(', ') }
}

const polish = 'Łukasz Żak, Małgorzata Wójcik, Świątek Żółć'
const german = 'Jürgen Müller, Björn Schäfer, Groß'

test.each([
  ['utf-8', german],
  ['utf-16le', polish],
  ['utf-16be', polish],
])('reads %s without a doubt', async (encoding, names) => {
  expect(await readNames(encodeAs(table(names), encoding))).toMatchObject({
    encoding,
    names,
    doubt: undefined,
  })
})

test.each([
  ['windows-1252', german],
  ['windows-1252', 'Zoë'],
  ['windows-1252', 'O’Brien – €5'],
  ['windows-1252', 'José García, María Núñez, Ángel Peña, Íñigo Ibáñez, Jesús Gómez, Martín Pérez'],
  ['windows-1252', 'François Lefèvre, Hélène Benoît, Élodie, Chloé, Noël, Agnès, André'],
  ['windows-1252', 'João Gonçalves, Inês Conceição, Simões'],
  ['windows-1252', 'Åse Bjørnstad, Øystein Kjær, Hämäläinen, Mäkinen, Vårgårda, Öström'],
  ['windows-1252', 'Þórður Guðmundsson, Ægir Jónsson, Seán Ó Súilleabháin, Niccolò Ferrè, Çelik'],
  ['windows-1250', polish],
  ['windows-1250', 'Błażej Dąbrowski, Katarzyna Szymańska, Paweł Woźniak, Grażyna, Józef Zieliński, Łucja'],
  ['windows-1251', 'Иван Петров'],
  ['windows-1251', 'Мария Иванова, Ольга Смирнова'],
  ['windows-1251', 'МАРИЯ ИВАНОВА, ОЛЬГА СМИРНОВА, ИВАН ПЕТРОВ, НИКОЛАЙ ГОГОЛЬ, АЛЕКСЕЙ, ЕКАТЕРИНА'],
  ['windows-1253', 'Γιώργος Παπαδόπουλος, Ελένη'],
  ['gb18030', '你们几点开门？早上九点开门。, 可以停车吗？可以的, 李雷'],
  ['big5', '你們幾點開門？早上九點開門。, 可以停車嗎？可以的, 王小明'],
  ['shift_jis', '営業時間は何時ですか？, 駐車場はありますか？, 山田'],
  ['euc-kr', '몇 시에 열어요? 아침 아홉 시, 주차할 수 있나요?, 김철수'],
])('reads %s, and says where another encoding may be meant: %s', async (encoding, names) => {
  const read = await readNames(encodeAs(table(names), encoding))
  expect(read).toMatchObject({ encoding, names })
  const { message = '', position = { line: 0, column: 0 } } = read.doubt ?? {}
  const [, example = ''] = /“(.*)”/.exec(message) ?? []
  const line = table(names).split('\n')[position.line - 1] ?? ''
  expect(line.slice(position.column - 1).startsWith(example)).toBe(true)
  expect(example).toMatch(/[^ -~]/)
  const { otherEncoding = encoding } = read.doubt?.details ?? {}
  expect(otherEncoding).not.toBe(encoding)
  expect(createTextDecoder(otherEncoding).encoding).toBe(otherEncoding)
})

test('suggests the encoding of the words for one whose bytes do not fit what is named', async () => {
  const read = await decodeExport(encodeAs(table('Иван Петров, Мария Иванова'), 'windows-1251'), {
    encoding: 'windows-1253',
  })
  expect(read).toMatchObject({
    error: { code: 'wrong-encoding', details: { otherEncoding: 'windows-1251' } },
  })
})

test.each(['windows-1250', 'windows-1254', 'windows-1257', 'macintosh', 'koi8-r'])(
  'reads %s without a doubt if it is named',
  async encoding => {
    const names = encoding === 'koi8-r' ? 'Анна' : 'Zoé, Müller'
    const bytes = encodeAs(table(names), encoding)
    expect(await readNames(bytes, encoding)).toMatchObject({ encoding, names, doubt: undefined })
  },
)

test.each([
  ['Anna JÃ¶rg', '“JÃ¶rg” may be “Jörg”'],
  ['Å\u0081ukasz, Å»ak, MaÅ‚gorzata', '“MaÅ‚gorzata” may be “Małgorzata”'],
  ['O’Brien, Oâ€™Brien', '“Oâ€™Brien” may be “O’Brien”'],
  ['Ð˜Ð²Ð°Ð½', '“Ð˜Ð²Ð°Ð½” may be “Иван”'],
])('%s was encoded twice', async (names, message) => {
  for (const encoding of ['utf-8', 'utf-16le']) {
    const { doubt } = await readNames(encodeAs(table(names), encoding))
    expect(doubt).toMatchObject({ code: 'double-encoded', message: expect.stringContaining(message) })
  }
})

test.each(['“CAFÉ”, “IRMÃ”', 'Ångström Å«x» Ä…', 'Ã, Â, “Å”', 'Ð, Ñ', 'São João, NÃO!', '«É»'])(
  '%s was not',
  async names => {
    expect((await readNames(encodeAs(table(names), 'utf-8'))).doubt).toBeUndefined()
  },
)

test.each([
  ['gbk', 'cecacce22cb4f0b0b8', '问题,答案'],
  ['big5', 'b0ddc3442cb5aaaed7', '問題,答案'],
  ['shift_jis', '8ebf96e22ceee08bb4ed958782b1', '質問,髙橋﨑№ｱ'],
  ['shift_jis', '8ebf96e22cfbfc8bb4fab18782b1', '質問,髙橋﨑№ｱ'],
  ['euc-kr', 'c1fab9ae2cb4e4baaf', '질문,답변'],
])('reads and writes %s: %s', async (encoding, hex, text) => {
  const bytes = Buffer.from(hex, 'hex')
  const read = await decodeExport(bytes, { encoding })
  expect(read).toEqual({ encoding, utf8: Buffer.from(text) })
  // Shift_JIS has some characters twice.
  expect(createTextDecoder(encoding).decode(encodeText(text, encoding))).toBe(text)
  if (!hex.includes('eee0')) expect(encodeText(text, encoding)).toEqual(bytes)
})

test('Unicode is what it is, whatever encoding is named', async () => {
  for (const encoding of ['utf-8', 'utf-16le'])
    expect(await readNames(encodeAs(table(polish), encoding), 'windows-1252')).toMatchObject({
      encoding,
      names: polish,
    })
  const escapes = Buffer.from('id,name\n1,\x1b$B;3ED\x1b(B\n')
  expect((await readNames(escapes, 'iso-2022-jp')).utf8.toString()).toBe('id,name\n1,山田\n')
})

test.each([
  ['windows-1252', 'a\nb;Jörg \x81', undefined],
  ['windows-1252', 'a,b\nJo,1234\x81', undefined],
  ['windows-1250', 'a\nb;Jörg \x83', 'windows-1250'],
  ['windows-1253', 'a\nb;Jörg \xd2', 'windows-1253'],
])('a byte that %s does not define is refused with its position', async (encoding, content, named) => {
  const read = await decodeExport(Buffer.from(content, 'latin1'), { encoding: named })
  expect('error' in read && read.error).toMatchObject({
    code: 'wrong-encoding',
    message: expect.stringContaining(encoding),
    position: { line: 2, column: 8 },
  })
})

test.each([
  ['workbook', Buffer.from('PK\u0003\u0004rest', 'latin1')],
  ['workbook', Buffer.from('\ufeff<html xmlns:x="urn:schemas"><table><tr><td>name')],
  ['workbook', Buffer.from('<?xml version="1.0"?><Workbook>')],
  ['workbook', Buffer.from('{\\rtf1\\ansi name')],
  ['binary-file', Buffer.from('name\nJörg\0', 'latin1')],
  ['binary-file', Buffer.from('\ufeffname\na\0', 'utf16le')],
  ['wrong-encoding', Buffer.from('ï»¿name\nJörg', 'latin1')],
  ['wrong-encoding', Buffer.from('\ufeffname', 'utf16le').subarray(0, -1)],
])('refuses %s', async (code, bytes) => {
  expect(await decodeExport(bytes)).toMatchObject({ error: { code } })
})

test('a doubt is found after megabytes of ASCII, and in a long word', async () => {
  const rows = '12,+12025550100,Ada\n'.repeat(200_000)
  const read = await readNames(encodeAs(`${rows}1,+12025550101,${'ö'.repeat(100)}\n`, 'windows-1252'))
  expect(read.doubt).toMatchObject({
    message: `read as windows-1252, as in “${'ö'.repeat(20)}”`,
    position: { line: 200_001, column: 16 },
  })
})

test('any bytes are read or refused', async () => {
  // Many are ASCII or UTF-8, few UTF-16 or UTF-32.
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x2c, 0x41, 0x81, 0xe9, 0x1b), fc.integer({ min: 1, max: 255 }))
  await fc.assert(
    fc.asyncProperty(fc.array(byte, { minLength: 1, maxLength: 24 }), async bytes => {
      const read = await decodeExport(Buffer.from(bytes))
      expect('error' in read ? read.error.message : read.encoding).not.toBe('')
    }),
    { numRuns: runs(500) },
  )
})
