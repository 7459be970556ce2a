# A stack.
class Stack
  def initialize
    @items = []
  end

  # Puts something on top.
  def push(item)
    @items << item
    self
  end

  def help
    <<~TEXT
      usage: push, pop
      end of the help, it's short
    TEXT
  end

  def pop
    raise 'empty' if @items.empty?
    @items.pop
  end
end

module Tools
  def self.reverse(items)
    items.each_with_object([]) do |item, reversed|
      reversed.unshift(item)
    end
  end
end
